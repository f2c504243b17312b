#include "sim/time/core.hpp"

#include <algorithm>

namespace abut::sim {
namespace {

constexpr size_t kAhead = 12; // references

LevelSettings stream_settings(uint32_t degree) {
  LevelSettings level;
  level.degree = degree;
  return level;
}

} // namespace

Core::Core(const Machine &machine)
    : machine_(machine), caches_{LruSets(machine.caches[0]), LruSets(machine.caches[1]),
                                 LruSets(machine.caches[2])},
      tlbs_{PageSets(machine.tlbs[0]), PageSets(machine.tlbs[1])} {
  if (machine.stream != 0) stream_ = make_stream(stream_settings(machine.stream), machine.crosses);
}

void Core::take(const References &references) {
  const size_t count = references.count();
  uint64_t last_ahead = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t ahead =
        (references.addresses[std::min(i + kAhead, count - 1)] & kAddressMask) >> kLineShift;
    if (ahead != last_ahead) caches_[2].fetch_ahead(ahead);
    last_ahead = ahead;
    const Reference reference = references[i];
    const Extent extent = extent_of(reference.address, reference.size);
    const uint64_t last = extent.last >> kLineShift;
    for (uint64_t line = extent.first >> kLineShift; line <= last; ++line)
      take_line(line, reference.size, (reference.kind & kWrite) != 0);
  }
}

void Core::take_line(uint64_t line, uint32_t size, bool writes) {
  const Ticks oldest = retired_[(counts_.accesses - machine_.window) % kMostInFlight];
  begun_ = std::max(begun_ + machine_.compute, counts_.accesses < machine_.window ? 0 : oldest);
  ++counts_.accesses;
  // A store's data, not its address, is what comes from elsewhere more often than not; it waits for nothing.
  const bool predictable = is_predictable(line);
  const Ticks known = predictable || writes ? begun_ : std::max(begun_, pointer_);
  const Ticks walked = translate(line);
  const Ticks translated = known + walked;
  size_t level = 0;
  LruSets::Line *found = caches_[0].use(line);
  Ticks start = translated;
  if (found == nullptr) {
    const Ticks buffer = filled_[(misses_ - machine_.outstanding) % kMostInFlight];
    if (misses_ >= machine_.outstanding) start = std::max(start, buffer);
    found = fetch(line, start, level);
    filled_[misses_++ % kMostInFlight] = found->ready;
  } else {
    note_use(*found, start);
  }
  const Ticks there = std::max<Ticks>(start + machine_.caches[0].latency, found->ready);
  if (!writes && size >= kPointer) pointer_ = there;
  const Ticks done = writes ? begun_ : there;
  retire(done, known - begun_, walked, start - translated, level);
}

// An access on a line of the last few, or beside one, has an address that was computed.
bool Core::is_predictable(uint64_t line) {
  for (uint64_t &other : recent_)
    if (line - other + 1 <= 2) {
      other = line;
      return true;
    }
  recent_.at(next_recent_) = line;
  next_recent_ = (next_recent_ + 1) % kRecent;
  return false;
}

Ticks Core::translate(uint64_t line) {
  const uint64_t page = line >> (machine_.page_shift - kLineShift);
  if (page == page_) return 0;
  page_ = page;
  if (tlbs_[0].use(page)) return 0;
  ++counts_.tlb_misses[0];
  if (tlbs_[1].use(page)) return machine_.tlbs[1].latency;
  ++counts_.tlb_misses[1];
  return machine_.tlbs[1].latency + machine_.walk;
}

// The first level does not have the line.
LruSets::Line *Core::fetch(uint64_t line, Ticks start, size_t &level) {
  ++counts_.misses[0];
  const Ticks ready = from_below(line, start, level, true);
  return caches_[0].insert(line, ready, false);
}

// When the line is there; `level` becomes the one that has it, 3 for memory.
Ticks Core::from_below(uint64_t line, Ticks start, size_t &level, bool demand) {
  LruSets::Line *second = caches_[1].use(line);
  const bool triggers = second == nullptr || second->prefetched != 0;
  Ticks ready = 0;
  if (second != nullptr) {
    level = 1;
    if (demand) note_use(*second, start);
    ready = std::max<Ticks>(start + machine_.caches[1].latency, second->ready);
  } else {
    LruSets::Line *third = caches_[2].use(line);
    level = third != nullptr ? 2 : 3;
    ready = third != nullptr ? std::max<Ticks>(start + machine_.caches[2].latency, third->ready)
                             : from_memory(line, start + machine_.caches[2].latency);
    if (third == nullptr) caches_[2].insert(line, ready, false);
    caches_[1].insert(line, ready, !demand);
    if (demand) {
      ++counts_.misses[1];
      counts_.misses[2] += third == nullptr;
    }
  }
  if (!demand) return ready;
  targets_.count = 0;
  if (stream_ != nullptr) stream_->observe(line, triggers, targets_);
  if (machine_.adjacent && triggers) targets_.add(line ^ 1);
  for (uint32_t i = 0; i < targets_.count; ++i) prefetch(targets_.lines.at(i), start);
  return ready;
}

Ticks Core::from_memory(uint64_t line, Ticks start) {
  channel_free_ = std::max(channel_free_, start) + machine_.line;
  const uint64_t row = line >> (kRowShift - kLineShift);
  uint64_t &open = rows_.at(row % kBanks);
  const Ticks saved = open == row ? machine_.row_hit_saves : 0;
  open = row;
  return channel_free_ - machine_.line + machine_.memory - saved;
}

// Into the second level.
void Core::prefetch(uint64_t line, Ticks now) {
  if (caches_[1].holds(line)) return;
  ++counts_.prefetches;
  size_t level = 0;
  from_below(line, now, level, false);
}

void Core::note_use(LruSets::Line &found, Ticks start) {
  if (found.prefetched == 0) return;
  found.prefetched = 0;
  ++counts_.useful;
  counts_.late += found.ready > start;
}

// What the access waits for beyond its share of computing is put to its account, dependence first.
void Core::retire(Ticks done, Ticks waited, Ticks walked, Ticks queued, size_t level) {
  const Ticks due = ended_ + machine_.compute;
  ended_ = std::max(due, done);
  counts_.parts[TimeCounts::compute] += machine_.compute;
  Ticks stall = ended_ - due;
  const auto put = [&](TimeCounts::Part part, Ticks most) {
    const Ticks share = std::min(stall, most);
    counts_.parts[part] += share;
    stall -= share;
  };
  put(TimeCounts::dependence, waited);
  put(TimeCounts::tlb, walked);
  put(TimeCounts::outstanding, queued);
  counts_.parts[TimeCounts::l1 + level] += stall;
  retired_[(counts_.accesses - 1) % kMostInFlight] = ended_;
}

} // namespace abut::sim
