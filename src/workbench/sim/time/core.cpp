#include "sim/time/core.hpp"

#include <algorithm>

namespace abut::sim {
namespace {

constexpr size_t kAhead = 12; // references
constexpr uint64_t kLinesInPage = kPageBytes >> 6;

uint64_t line_of(uint64_t address) { return (address & kAddressMask) >> 6; }

LevelSettings stream_settings(uint32_t degree) {
  LevelSettings level;
  level.degree = degree;
  return level;
}

} // namespace

Core::Core(const Machine &machine)
    : machine_(machine), caches_{LruSets(machine.caches[0]), LruSets(machine.caches[1]),
                                 LruSets(machine.caches[2])},
      tlbs_{PageSets(machine.tlbs[0]), PageSets(machine.tlbs[1])}, stride_(machine.stride),
      stores_(machine.stores), memory_(machine) {
  if (machine.stream != 0)
    stream_.emplace(stream_settings(machine.stream), machine.crosses, machine.trained);
}

TimeCounts Core::counts() const {
  TimeCounts counts = counts_;
  counts.parts[TimeCounts::compute] = counts.accesses * machine_.compute;
  return counts;
}

void Core::take(const References &references) {
  const auto addresses = references.addresses;
  const auto recorded = references.recorded.empty() ? addresses : references.recorded;
  const size_t count = references.count();
  const bool strides = machine_.stride != 0 && !references.codes.empty();
  uint64_t last_ahead = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      const uint64_t ahead = line_of(addresses[i + kAhead]);
      if (ahead != last_ahead) caches_[2].fetch_ahead(ahead);
      last_ahead = ahead;
    }
    if (!references.owners.empty()) owner_ = references.owners[i];
    const uint32_t size = references.sizes.empty() ? 1 : references.sizes[i];
    Kind kind = size >= kPointer ? Kind::pointer : Kind::load;
    if (!references.kinds.empty() && (references.kinds[i] & kWrite) != 0) kind = Kind::store;
    const uint8_t source = references.sources.empty() ? uint8_t{0} : references.sources[i];
    const Ticks known = source != 0 ? values_.known(source) : known_at(recorded[i], size);
    stored_ = source != 0 ? values_.stored(addresses[i]) : 0;
    const uint64_t first = line_of(addresses[i]);
    if (addresses[i] % kLineBytes + size <= kLineBytes) {
      if (first == line_)
        take_again(kind, known);
      else
        take_line(first, kind, known);
    } else {
      const uint64_t last = extent_of(addresses[i], size).last >> kLineShift;
      for (uint64_t line = first; line <= last; ++line) take_line(line, kind, known);
    }
    if (kind == Kind::store)
      values_.store(addresses[i], known);
    else
      values_.load(there_);
    if (!strides || kind == Kind::store) continue;
    const auto target = stride_.observe(references.codes[i], addresses[i] & kAddressMask);
    if (target) prefetch(*target, std::max(begun_, known));
  }
}

void Core::follow(std::span<const MemoryEvent> events) {
  for (const MemoryEvent &event : events) cleared_.take(event);
}

// When the access's address is known, by where it was when recorded.
inline Ticks Core::known_at(uint64_t recorded, uint32_t size) {
  const uint64_t first = line_of(recorded);
  if (first != recorded_line_) known_ = recent_.use(first, pointer_);
  recorded_line_ = first;
  if (recorded % kLineBytes + size > kLineBytes) {
    recorded_line_ = extent_of(recorded, size).last >> kLineShift;
    for (uint64_t line = first + 1; line <= recorded_line_; ++line) recent_.use(line, known_);
  }
  return known_;
}

// Of the line of the access before.
inline void Core::take_again(Kind kind, Ticks known) {
  Waits waits;
  const Ticks start = begin(kind, known, waits);
  end(kind, std::max<Ticks>(start + machine_.caches[0].latency, found_->ready), waits);
}

void Core::take_line(uint64_t line, Kind kind, Ticks known) {
  Waits waits;
  Ticks start = begin(kind, known, waits);
  waits.walk = translate(line);
  start += waits.walk;
  line_ = line;
  found_ = caches_[0].use_again(line);
  if (found_ == nullptr) {
    const uint64_t miss = counts_.misses[0]++;
    const Ticks buffer = filled_[(miss - machine_.outstanding) % kMostInFlight];
    if (buffer > start) {
      waits.buffer = buffer - start;
      start = buffer;
    }
    found_ = fetch(line, start, waits.level);
    filled_[miss % kMostInFlight] = found_->ready;
  }
  end(kind, std::max<Ticks>(start + machine_.caches[0].latency, found_->ready), waits);
}

// When the access begins, whose address may be to come yet. Before the first ends and stores there are zeros.
inline Ticks Core::begin(Kind kind, Ticks known, Waits &waits) {
  const Ticks oldest = ended_of_[(counts_.accesses - machine_.window) % kMostInFlight];
  begun_ = std::max(begun_ + machine_.compute, oldest);
  if (kind == Kind::store && stores_.room() > begun_) {
    waits.store = stores_.room() - begun_;
    begun_ = stores_.room();
  }
  // A store's data, not its address, is what comes from elsewhere more often than not; it waits for nothing.
  if (kind == Kind::store || known <= begun_) return begun_;
  waits.dependence = known - begun_;
  return known;
}

inline Ticks Core::translate(uint64_t line) {
  const uint64_t page = line >> (machine_.page_shift - kLineShift);
  if (page == page_) return 0;
  page_ = page;
  if (tlbs_[0].use(page)) return 0;
  ++counts_.tlb_misses[0];
  if (tlbs_[1].use(page)) return machine_.tlbs[1].latency;
  ++counts_.tlb_misses[1];
  return machine_.tlbs[1].latency + machine_.walk;
}

inline void Core::end(Kind kind, Ticks there, Waits &waits) {
  if (kind != Kind::store && stored_ > there) {
    waits.dependence += stored_ - there;
    there = stored_;
  }
  there_ = there;
  if (kind == Kind::pointer) pointer_ = there;
  const Ticks due = ended_ + machine_.compute;
  const Ticks done = kind == Kind::store ? begun_ : there;
  ended_ = due;
  if (done > due) {
    account(done - due, waits);
    ended_ = done;
  }
  if (kind == Kind::store) stores_.add(std::max(there, ended_));
  ended_of_[counts_.accesses++ % kMostInFlight] = ended_;
}

// What the access waits for beyond its share of computing is put to its account, the store buffer and dependence first.
void Core::account(Ticks stall, const Waits &waits) {
  if (owner_ >= by_owner_.size()) by_owner_.resize(size_t{owner_} + 1);
  OwnerWaits &own = by_owner_[owner_];
  own.all += stall;
  const auto put = [&](TimeCounts::Part part, Ticks most) {
    const Ticks share = std::min(stall, most);
    counts_.parts[part] += share;
    stall -= share;
    return share;
  };
  put(TimeCounts::stores, waits.store);
  own.dependence += put(TimeCounts::dependence, waits.dependence);
  own.tlb += put(TimeCounts::tlb, waits.walk);
  put(TimeCounts::outstanding, waits.buffer);
  counts_.parts[TimeCounts::l1 + waits.level] += stall;
}

// The first level does not have the line. `level` becomes the one that has it.
LruSets::Line *Core::fetch(uint64_t line, Ticks start, size_t &level) {
  LruSets::Line *second = caches_[1].use(line);
  const bool triggers = second == nullptr || second->prefetched != 0;
  Ticks ready = 0;
  if (second != nullptr) {
    level = 1;
    ready = std::max<Ticks>(start + machine_.caches[1].latency, second->ready);
    if (triggers) {
      second->prefetched = 0;
      ++counts_.useful;
      counts_.late += second->ready > start;
    }
  } else {
    ready = *from_third(line, start, level, false);
    caches_[1].insert(line, ready, false);
    ++counts_.misses[1];
    counts_.misses[2] += level == 3;
  }
  if (triggers) prefetch_after(line, start);
  return caches_[0].insert(line, ready, false);
}

// None for a prefetch that memory drops.
std::optional<Ticks> Core::from_third(uint64_t line, Ticks start, size_t &level, bool early) {
  const Ticks asked = start + machine_.caches[2].latency;
  const LruSets::Line *third = caches_[2].use(line);
  level = third != nullptr ? 2 : 3;
  if (third != nullptr) return std::max<Ticks>(asked, third->ready);
  Ticks ready = start + machine_.caches[1].latency;
  if (!cleared_.use(line)) {
    if (early && memory_.drops(asked)) return {};
    ready = early ? memory_.prefetch(line, asked) : memory_.fetch(line, asked);
  }
  caches_[2].insert(line, ready, false);
  return ready;
}

// What prefetchers bring in after a line that is new to the second level, or that one of them brought.
void Core::prefetch_after(uint64_t line, Ticks now) {
  targets_.count = 0;
  if (stream_) stream_->observe(line, true, targets_);
  if (machine_.adjacent) targets_.add(line ^ 1);
  // Tagged prefetch (Gindele, "Buffer block prefetching method", 1977), within the page.
  for (uint64_t step = 1; step <= machine_.next; ++step)
    if (line % kLinesInPage + step < kLinesInPage) targets_.add(line + step);
  for (uint32_t i = 0; i < targets_.count; ++i) prefetch(targets_.lines[i], now);
}

// Into the second level. What lies before memory's beginning is its end.
void Core::prefetch(uint64_t line, Ticks now) {
  line &= kAddressMask >> kLineShift;
  if (caches_[1].holds(line)) return;
  size_t level = 0;
  const std::optional<Ticks> ready = from_third(line, now, level, true);
  if (!ready) return;
  ++counts_.prefetches;
  caches_[1].insert(line, *ready, true);
}

} // namespace abut::sim
