// Memory has one channel, which a line keeps busy, and banks with an open row each (Rixner et al., "Memory access
// scheduling", ISCA 2000). What accesses ask for goes before what prefetchers ask for, of which no more waits than there may
// be misses in flight: the rest is dropped (Lee et al., "Prefetch-aware DRAM controllers", MICRO 2008).
#pragma once

#include "sim/time/machine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace abut::sim {

class MemoryChannel {
public:
  explicit MemoryChannel(const Machine &machine)
      : latency_(machine.memory), saves_(machine.row_hit_saves), line_(machine.line),
        most_waiting_(machine.outstanding * machine.line) {}

  // When a line is there that an access asks for at `asked`.
  Ticks fetch(uint64_t line, Ticks asked) {
    const Ticks begun = std::max(accesses_done_, asked);
    accesses_done_ = begun + line_;
    all_done_ = std::max(all_done_, begun) + line_;
    return there(line, begun);
  }

  // Whether one that a prefetcher asks for is dropped.
  bool drops(Ticks asked) const { return all_done_ > asked + most_waiting_; }

  // When such a line is there.
  Ticks prefetch(uint64_t line, Ticks asked) {
    const Ticks begun = std::max(all_done_, asked);
    all_done_ = begun + line_;
    return there(line, begun);
  }

private:
  static constexpr size_t kBanks = 16;
  static constexpr uint64_t kLinesInRow = 128;

  Ticks there(uint64_t line, Ticks begun) {
    const uint64_t row = line / kLinesInRow;
    uint64_t &open = open_[row % kBanks];
    const Ticks saved = open == row ? saves_ : 0;
    open = row;
    return begun + latency_ - saved;
  }

  Ticks latency_;
  Ticks saves_;
  Ticks line_;
  Ticks most_waiting_;
  Ticks accesses_done_ = 0; // the channel is, with what accesses asked for
  Ticks all_done_ = 0;
  std::array<uint64_t, kBanks> open_{};
};

} // namespace abut::sim
