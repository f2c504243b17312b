#include "layout/packing.hpp"

#include "layout/edges.hpp"
#include "layout/holes.hpp"

#include <algorithm>
#include <unordered_map>

namespace abut::place {
namespace {

uint64_t rounded(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

// Rows by when they die, as lists: no sorting.
class Deaths {
public:
  Deaths(std::span<const uint32_t> size, std::span<const uint32_t> died)
      : first_(size.size() + 1, kNoSlot), next_(size.size(), kNoSlot) {
    for (auto row = static_cast<uint32_t>(size.size()); row-- > 0;)
      if (died[row] <= size.size() && size[row] != 0) {
        next_[row] = first_[died[row]];
        first_[died[row]] = row;
      }
  }

  // Calls `visit(row)` for all that died when `born` objects had been born.
  template <class Visit>
  void each_at(uint32_t born, Visit visit) const {
    for (uint32_t row = first_[born]; row != kNoSlot; row = next_[row]) visit(row);
  }

private:
  std::vector<uint32_t> first_, next_;
};

} // namespace

std::vector<uint32_t> share_by_lifetime(std::span<const uint32_t> size,
                                        std::span<const uint32_t> died) {
  const auto rows = static_cast<uint32_t>(size.size());
  const Deaths deaths(size, died);
  std::vector<uint32_t> slots(rows, kNoSlot);
  std::unordered_map<uint64_t, std::vector<uint32_t>> free;
  uint32_t made = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    deaths.each_at(row, [&](uint32_t dead) {
      if (slots[dead] != kNoSlot) free[rounded(size[dead], kGranule)].push_back(slots[dead]);
    });
    if (size[row] == 0) continue;
    std::vector<uint32_t> &waiting = free[rounded(size[row], kGranule)];
    if (waiting.empty()) {
      slots[row] = made++;
      continue;
    }
    slots[row] = waiting.back();
    waiting.pop_back();
  }
  return slots;
}

std::vector<uint64_t> pack_over_time(std::span<const uint32_t> size,
                                     std::span<const uint32_t> died) {
  const auto rows = static_cast<uint32_t>(size.size());
  const auto granules = [size](uint32_t row) {
    return static_cast<uint32_t>(rounded(std::min(size[row], kLargestSize), kGranule) / kGranule);
  };
  const Deaths deaths(size, died);
  Holes holes;
  std::vector<uint64_t> offsets(rows, kNoPlace);
  for (uint32_t row = 0; row < rows; ++row) {
    deaths.each_at(row, [&](uint32_t dead) {
      if (offsets[dead] != kNoPlace)
        holes.give_back(static_cast<uint32_t>(offsets[dead] / kGranule), granules(dead));
    });
    if (size[row] != 0 && holes.end() < UINT32_MAX - kLargestSize)
      offsets[row] = uint64_t{holes.take(granules(row))} * kGranule;
  }
  return offsets;
}

std::vector<uint64_t> pack(std::span<const uint32_t> order, std::span<const uint32_t> size,
                           std::span<const uint32_t> slot, uint64_t begin, uint64_t align) {
  std::vector<uint64_t> offsets(size.size(), kNoPlace);
  std::vector<uint64_t> places;
  uint64_t end = begin;
  for (const uint32_t row : order) {
    if (row >= size.size() || offsets[row] != kNoPlace || size[row] == 0) continue;
    uint64_t *place = nullptr;
    if (!slot.empty() && slot[row] != kNoSlot) {
      if (slot[row] >= places.size()) places.resize(slot[row] + 1, kNoPlace);
      place = &places[slot[row]];
      if (*place != kNoPlace) {
        offsets[row] = *place;
        continue;
      }
    }
    end = rounded(end, std::max(align, kGranule));
    offsets[row] = end;
    end += rounded(size[row], kGranule);
    if (place != nullptr) *place = offsets[row];
  }
  return offsets;
}

namespace {

// Memory as columns: lines whose number is the same modulo the sets of the cache.
class Columns {
public:
  explicit Columns(SetsOfCache cache)
      : cache_(cache), rows_(cache.sets), used_(cache.sets, cache.line) {}

  uint32_t set_of(uint64_t offset) const {
    return static_cast<uint32_t>(offset / cache_.line % cache_.sets);
  }
  // Bytes that are left on the line that was begun last in that set.
  uint32_t left(uint32_t set) const { return cache_.line - used_[set]; }
  bool is_open(uint32_t set, uint64_t offset) const {
    return rows_[set] != 0 && address(set, rows_[set] - 1) / cache_.line == offset / cache_.line;
  }

  uint64_t take(uint32_t set, uint64_t bytes) {
    if (bytes <= left(set)) {
      const uint64_t at = address(set, rows_[set] - 1) + used_[set];
      used_[set] += static_cast<uint32_t>(bytes);
      return at;
    }
    const auto lines = static_cast<uint32_t>((bytes + cache_.line - 1) / cache_.line);
    uint64_t row = 0;
    for (uint32_t i = 0; i < lines; ++i) row = std::max(row, first_free_row(set, i));
    for (uint32_t i = 0; i < lines; ++i) {
      const uint32_t column = (set + i) % cache_.sets;
      rows_[column] = row + (set + i) / cache_.sets + 1;
      used_[column] = cache_.line;
    }
    const uint32_t last = (set + lines - 1) % cache_.sets;
    used_[last] = static_cast<uint32_t>(bytes - uint64_t{lines - 1} * cache_.line);
    return address(set, row);
  }

  // The set whose column is the shortest of the `count` after `set`.
  uint32_t shortest_after(uint32_t set, uint32_t count) const {
    uint32_t best = (set + 1) % cache_.sets;
    for (uint32_t i = 2; i <= count; ++i)
      if (rows_[(set + i) % cache_.sets] < rows_[best]) best = (set + i) % cache_.sets;
    return best;
  }

private:
  uint64_t address(uint32_t set, uint64_t row) const {
    return (row * cache_.sets + set) * cache_.line;
  }
  uint64_t first_free_row(uint32_t set, uint32_t i) const {
    const uint64_t free = rows_[(set + i) % cache_.sets], wraps = (set + i) / cache_.sets;
    return free > wraps ? free - wraps : 0;
  }

  SetsOfCache cache_;
  std::vector<uint64_t> rows_; // lines begun, by set
  std::vector<uint32_t> used_; // bytes of the last of them
};

constexpr uint32_t kLooks = 8;

} // namespace

std::vector<uint64_t> avoid_conflicts(std::span<const uint32_t> order,
                                      std::span<const uint32_t> size, const Graph &graph,
                                      SetsOfCache cache) {
  std::vector<uint64_t> offsets(size.size(), kNoPlace);
  Columns columns(cache);
  uint32_t last_set = 0;
  for (const uint32_t row : order) {
    if (row >= size.size() || offsets[row] != kNoPlace || size[row] == 0) continue;
    const uint64_t bytes = rounded(size[row], kGranule);
    uint32_t set = cache.sets;
    uint32_t taken[kMostFriends];
    unsigned met = 0;
    for (const Graph::Edge *edge = graph.begin(row);
         edge != graph.end(row) && met < kMostFriends && set == cache.sets; ++edge) {
      const uint64_t friend_at = offsets[edge->to];
      if (friend_at == kNoPlace) continue;
      const uint32_t at = columns.set_of(friend_at);
      if (columns.is_open(at, friend_at) && bytes <= columns.left(at)) set = at;
      taken[met++] = at;
    }
    // Else a set that no friend has, of the columns nearby the one that is filled the least.
    uint32_t from = last_set;
    for (uint32_t look = 0; set == cache.sets; ++look) {
      const uint32_t best = columns.shortest_after(from, kLooks);
      if (look == kLooks || std::find(taken, taken + met, best) == taken + met) set = best;
      from = (from + kLooks) % cache.sets;
    }
    offsets[row] = columns.take(set, bytes);
    last_set = set;
  }
  return offsets;
}

} // namespace abut::place
