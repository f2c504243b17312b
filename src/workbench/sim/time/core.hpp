// How long an out-of-order core takes over a program's accesses, in the manner of interval simulation (Eyerman, Eeckhout,
// Karkhanis and Smith, "A mechanistic performance model for superscalar out-of-order processors", TOCS 2009): accesses
// begin in order, as many at a time as the window holds, and end in order; what an end waits for is where the time went.
//
// - An access whose address comes from memory waits for the load that it comes from. Traces hold no values, so one that
//   is neither on nor beside a line of the last few accesses is taken to depend on the last load of a pointer's size.
// - As many misses are in flight as there are buffers (Kroft, "Lockup-free instruction fetch/prefetch cache
//   organization", ISCA 1981).
// - A line that a prefetcher asked for is there after the time that it takes, not at once.
// - Memory has one channel, and banks with an open row each (Rixner et al., "Memory access scheduling", ISCA 2000).
// - Stores take buffers and bandwidth; the core does not wait for them.
#pragma once

#include "base/units.hpp"
#include "sim/prefetch/prefetcher.hpp"
#include "sim/reference.hpp"
#include "sim/time/lru_sets.hpp"
#include "sim/time/machine.hpp"
#include "sim/time/page_sets.hpp"

#include <array>
#include <memory>

namespace abut::sim {

class Core final : public Consumer {
public:
  explicit Core(const Machine &machine);

  // Of one thread, or of several taken as one.
  void take(const References &references) override;
  const TimeCounts &counts() const { return counts_; }

private:
  static constexpr uint32_t kLineShift = 6;
  static constexpr size_t kRecent = 4;
  static constexpr size_t kBanks = 16;
  static constexpr uint32_t kRowShift = 13;
  static constexpr uint32_t kPointer = 8;

  void take_line(uint64_t line, uint32_t size, bool writes);
  bool is_predictable(uint64_t line);
  Ticks translate(uint64_t line);
  LruSets::Line *fetch(uint64_t line, Ticks start, size_t &level);
  Ticks from_memory(uint64_t line, Ticks start);
  Ticks from_below(uint64_t line, Ticks start, size_t &level, bool demand);
  void prefetch(uint64_t line, Ticks now);
  void note_use(LruSets::Line &found, Ticks start);
  void retire(Ticks done, Ticks waited, Ticks walked, Ticks queued, size_t level);

  Machine machine_;
  std::array<LruSets, 3> caches_;
  std::array<PageSets, 2> tlbs_;
  uint64_t page_ = ~uint64_t{0}; // of the last access
  std::unique_ptr<Prefetcher> stream_;
  Targets targets_;
  std::array<uint64_t, kRecent> recent_{};
  size_t next_recent_ = 0;
  std::array<Ticks, kMostInFlight> retired_{}; // of the last accesses
  std::array<Ticks, kMostInFlight> filled_{};  // of the last misses
  std::array<uint64_t, kBanks> rows_{};
  uint64_t misses_ = 0;
  Ticks begun_ = 0;   // the last access
  Ticks ended_ = 0;   // the last access
  Ticks pointer_ = 0; // the last pointer was loaded
  Ticks channel_free_ = 0;
  TimeCounts counts_;
};

} // namespace abut::sim
