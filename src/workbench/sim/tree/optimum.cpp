#include "sim/tree/optimum.hpp"

#include <bit>
#include <queue>
#include <unordered_map>

namespace abut::sim {
namespace {

constexpr uint32_t kNever = UINT32_MAX;

// One set. What is to be used last stands on top of a heap; entries for uses that are past are left in it and thrown
// away when they come up.
class Set {
public:
  explicit Set(size_t ways) : ways_(ways) {}

  // Whether the line is there. It is afterwards, to be used at `next` again.
  bool use(uint64_t line, uint32_t next) {
    const auto [found, fresh] = next_.try_emplace(line, next);
    found->second = next;
    heap_.emplace(next, line);
    if (fresh && next_.size() > ways_) drop_furthest(line);
    if (heap_.size() > 4 * ways_ + 16) clean();
    return !fresh;
  }

private:
  using Use = std::pair<uint32_t, uint64_t>; // when, of which line

  bool current(const Use &use) const {
    const auto found = next_.find(use.second);
    return found != next_.end() && found->second == use.first;
  }

  // The line that has just come stays: a cache has to bring in what it misses.
  void drop_furthest(uint64_t newcomer) {
    Use own{};
    bool met = false;
    while (!current(heap_.top()) || heap_.top().second == newcomer) {
      if (heap_.top().second == newcomer) own = heap_.top(), met = true;
      heap_.pop();
    }
    next_.erase(heap_.top().second);
    heap_.pop();
    if (met) heap_.push(own);
  }

  void clean() {
    std::priority_queue<Use> fresh;
    for (const auto &[line, next] : next_) fresh.emplace(next, line);
    heap_.swap(fresh);
  }

  size_t ways_;
  std::unordered_map<uint64_t, uint32_t> next_;
  std::priority_queue<Use> heap_;
};

// Of each use, when the same line is used again.
std::vector<uint32_t> next_uses(const std::vector<uint64_t> &uses) {
  std::vector<uint32_t> next(uses.size(), kNever);
  std::unordered_map<uint64_t, uint32_t> seen;
  for (size_t i = uses.size(); i-- != 0;) {
    const auto [found, fresh] = seen.try_emplace(uses[i] >> 1, static_cast<uint32_t>(i));
    if (fresh) continue;
    next[i] = found->second;
    found->second = static_cast<uint32_t>(i);
  }
  return next;
}

} // namespace

trace::Result<std::unique_ptr<Optimum>> Optimum::make(const LevelSettings &settings) {
  trace::Result<LevelSettings> shape = shape_of(settings);
  if (!shape) return shape.error();
  return std::unique_ptr<Optimum>(new Optimum(shape.value()));
}

void Optimum::take(const References &references) {
  take_apart(settings_, references, [this](uint32_t thread, const References &own) {
    take(own, threads_.of(thread, [] { return std::make_unique<Kept>(); }));
  });
}

void Optimum::take(const References &references, Kept &kept) {
  const auto shift = static_cast<unsigned>(std::countr_zero(settings_.line));
  for (size_t i = 0; i < references.count() && whole_; ++i) {
    const Reference reference = references[i];
    const Extent extent = extent_of(reference.address, reference.size);
    for (uint64_t line = extent.first >> shift; line <= extent.last >> shift; ++line)
      use(line, side_of(reference.kind), kept);
  }
}

void Optimum::use(uint64_t line, Side side, Kept &kept) {
  if (count_ == kMostKept) {
    whole_ = false;
    return;
  }
  ++accesses_[index_of(side)];
  if (line == kept.last)
    return; // a hit under any policy, and the furthest next use stays the furthest
  kept.last = line;
  kept.uses.push_back(line << 1 | index_of(side));
  ++count_;
}

void Optimum::solve(const Kept &kept, Answer &answer) const {
  const std::vector<uint32_t> next = next_uses(kept.uses);
  std::vector<Set> sets(settings_.sets(), Set(settings_.ways_in_set()));
  for (size_t i = 0; i < kept.uses.size(); ++i) {
    const uint64_t line = kept.uses[i] >> 1;
    if (!sets[line % sets.size()].use(line, next[i])) ++answer.misses[kept.uses[i] & 1];
  }
}

Optimum::Answer Optimum::solve() const {
  Answer answer{accesses_, {}, whole_};
  for (const auto &kept : threads_.all()) solve(*kept, answer);
  return answer;
}

} // namespace abut::sim
