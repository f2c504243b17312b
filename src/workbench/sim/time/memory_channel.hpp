// Memory has one channel, which a line keeps busy, and banks with an open row each (Rixner et al., "Memory access
// scheduling", ISCA 2000).
#pragma once

#include "sim/time/machine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace abut::sim {

class MemoryChannel {
public:
  explicit MemoryChannel(const Machine &machine)
      : latency_(machine.memory), saves_(machine.row_hit_saves), line_(machine.line) {}

  // When a line is there that is asked for at `asked`.
  Ticks fetch(uint64_t line, Ticks asked) {
    const Ticks begun = std::max(free_, asked);
    free_ = begun + line_;
    const uint64_t row = line / kLinesInRow;
    uint64_t &open = open_[row % kBanks];
    const Ticks saved = open == row ? saves_ : 0;
    open = row;
    return begun + latency_ - saved;
  }

private:
  static constexpr size_t kBanks = 16;
  static constexpr uint64_t kLinesInRow = 128;

  Ticks latency_;
  Ticks saves_;
  Ticks line_;
  Ticks free_ = 0;
  std::array<uint64_t, kBanks> open_{};
};

} // namespace abut::sim
