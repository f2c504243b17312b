#include "sim/time/core.hpp"

#include "trace/rows.hpp"

#include <algorithm>

namespace abut::sim {
namespace {

constexpr size_t kAhead = 12;  // references
constexpr size_t kBlock = 256; // references
constexpr uint64_t kLinesInPage = kPageBytes >> 6;

uint64_t line_of(uint64_t address) { return (address & kAddressMask) >> 6; }

// A block's column; if it is not there, one of a value.
template <auto kValue, typename T>
const T *column(std::span<const T> values) {
  static constexpr auto kStandard = [] {
    std::array<T, kBlock> all{};
    all.fill(kValue);
    return all;
  }();
  return values.empty() ? kStandard.data() : values.data();
}

// Of a block and what comes soon behind it; after the last address there are zeros.
std::array<uint64_t, kBlock + kAhead> lines_of(std::span<const uint64_t> onwards) {
  std::array<uint64_t, kBlock + kAhead> lines;
  const size_t count = std::min(lines.size(), onwards.size());
  for (size_t i = 0; i < count; ++i) lines[i] = line_of(onwards[i]);
  for (size_t i = count; i < lines.size(); ++i) lines[i] = 0;
  return lines;
}

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
  for (size_t at = 0; at < references.count(); at += kBlock) {
    const size_t length = std::min(kBlock, references.count() - at);
    take_block(references.part(at, length), references.addresses.subspan(at));
  }
}

// `onwards`: the block's addresses and those behind it.
void Core::take_block(const References &block, std::span<const uint64_t> onwards) {
  const uint64_t *const addresses = onwards.data();
  const uint64_t *const recorded = block.recorded.empty() ? addresses : block.recorded.data();
  const auto *const sizes = column<1>(block.sizes);
  const auto *const kinds = column<0>(block.kinds);
  const auto *const sources = column<0>(block.sources);
  const auto *const owners = column<0>(block.owners);
  const uint64_t *const codes = block.codes.data();
  const bool strides = machine_.stride != 0 && codes != nullptr;
  const size_t count = block.count();
  const std::array lines = lines_of(onwards);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t ahead = lines[i + kAhead];
    if (ahead != lines[i + kAhead - 1])
      caches_[caches_[1].may_hold(ahead) ? 1 : 2].fetch_ahead(ahead);
    owner_ = owners[i];
    const uint64_t address = addresses[i];
    const uint32_t size = sizes[i];
    const uint8_t source = sources[i];
    const Ticks known = source != 0 ? values_.known(source) : known_at(recorded[i], size);
    const Access access{address, size, lines[i], known};
    if ((kinds[i] & kWrite) != 0) {
      take_access<Kind::store>(access);
      values_.store(address, known);
      continue;
    }
    stored_ = source != 0 ? values_.stored(address) : 0;
    if (size >= kPointer)
      take_access<Kind::pointer>(access);
    else
      take_access<Kind::load>(access);
    values_.load(there_);
    if (!strides) continue;
    const auto target = stride_.observe(codes[i], address & kAddressMask);
    if (target) prefetch(*target, std::max(begun_, known));
  }
}

template <Core::Kind kKind>
inline void Core::take_access(const Access &access) {
  if (access.address % kLineBytes + access.size > kLineBytes) [[unlikely]] {
    const uint64_t last = extent_of(access.address, access.size).last >> kLineShift;
    for (uint64_t line = access.line; line <= last; ++line) take_line<kKind>(line, access.known);
  } else if (access.line == line_) {
    take_again<kKind>(access.known);
  } else {
    take_line<kKind>(access.line, access.known);
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
template <Core::Kind kKind>
inline void Core::take_again(Ticks known) {
  Waits waits;
  const Ticks start = begin<kKind>(known, waits);
  end<kKind>(std::max<Ticks>(start + machine_.caches[0].latency, found_->ready), waits);
}

template <Core::Kind kKind>
void Core::take_line(uint64_t line, Ticks known) {
  Waits waits;
  Ticks start = begin<kKind>(known, waits);
  waits.walk = translate(line);
  start += waits.walk;
  line_ = line;
  const LruSets::Place place = caches_[0].place_of(line);
  found_ = caches_[0].use(place);
  if (found_ == nullptr) {
    const uint64_t miss = counts_.misses[0]++;
    const Ticks buffer = filled_[(miss - machine_.outstanding) % kMostInFlight];
    if (buffer > start) {
      waits.buffer = buffer - start;
      start = buffer;
    }
    found_ = caches_[0].insert(place, fetch(line, start, waits.level), false);
    filled_[miss % kMostInFlight] = found_->ready;
  }
  end<kKind>(std::max<Ticks>(start + machine_.caches[0].latency, found_->ready), waits);
}

// When the access begins, whose address may be to come yet. Before the first ends and stores there are zeros.
template <Core::Kind kKind>
inline Ticks Core::begin(Ticks known, Waits &waits) {
  const Ticks oldest = ended_of_[(counts_.accesses - machine_.window) % kMostInFlight];
  begun_ = std::max(begun_ + machine_.compute, oldest);
  if (kKind == Kind::store && stores_.room() > begun_) {
    waits.store = stores_.room() - begun_;
    begun_ = stores_.room();
  }
  // A store's data, not its address, is what comes from elsewhere more often than not; it waits for nothing.
  if (kKind == Kind::store || known <= begun_) return begun_;
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

template <Core::Kind kKind>
inline void Core::end(Ticks there, Waits &waits) {
  if (kKind != Kind::store && stored_ > there) {
    waits.dependence += stored_ - there;
    there = stored_;
  }
  there_ = there;
  if (kKind == Kind::pointer) pointer_ = there;
  const Ticks due = ended_ + machine_.compute;
  const Ticks done = kKind == Kind::store ? begun_ : there;
  ended_ = due;
  if (done > due) {
    account(done - due, waits);
    ended_ = done;
  }
  if (kKind == Kind::store) stores_.add(std::max(there, ended_));
  ended_of_[counts_.accesses++ % kMostInFlight] = ended_;
}

// What the access waits for beyond its share of computing is put to its account, the store buffer and dependence first.
void Core::account(Ticks stall, const Waits &waits) {
  OwnerWaits &own = trace::row_of(by_owner_, owner_);
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

// When a line is there that the first level does not have. `level` becomes the one that has it.
Ticks Core::fetch(uint64_t line, Ticks start, size_t &level) {
  const LruSets::Place place = caches_[1].place_of(line);
  LruSets::Line *second = caches_[1].use(place);
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
    caches_[1].insert(place, ready, false);
    ++counts_.misses[1];
    counts_.misses[2] += level == 3;
  }
  if (triggers) prefetch_after(line, start);
  return ready;
}

// None for a prefetch that memory drops.
std::optional<Ticks> Core::from_third(uint64_t line, Ticks start, size_t &level, bool early) {
  const Ticks asked = start + machine_.caches[2].latency;
  const LruSets::Place place = caches_[2].place_of(line);
  const LruSets::Line *third = caches_[2].use(place);
  level = third != nullptr ? 2 : 3;
  if (third != nullptr) return std::max<Ticks>(asked, third->ready);
  Ticks ready = start + machine_.caches[1].latency;
  if (!cleared_.use(line)) {
    if (early && memory_.drops(asked)) return {};
    ready = early ? memory_.prefetch(line, asked) : memory_.fetch(line, asked);
  }
  caches_[2].insert(place, ready, false);
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
  // All at once, so that this program waits for its own memory once.
  for (uint32_t i = 0; i < targets_.count; ++i) caches_[2].fetch_ahead(targets_.lines[i]);
  for (uint32_t i = 0; i < targets_.count; ++i) prefetch(targets_.lines[i], now);
}

// Into the second level. What lies before memory's beginning is its end.
void Core::prefetch(uint64_t line, Ticks now) {
  line &= kAddressMask >> kLineShift;
  const LruSets::Place place = caches_[1].place_of(line);
  if (caches_[1].holds(place)) return;
  size_t level = 0;
  const std::optional<Ticks> ready = from_third(line, now, level, true);
  if (!ready) return;
  ++counts_.prefetches;
  caches_[1].insert(place, *ready, true);
}

} // namespace abut::sim
