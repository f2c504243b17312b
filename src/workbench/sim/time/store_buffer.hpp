// Stores wait in a buffer until their lines are there, and leave it in order, one a cycle (Skadron and Clark, "Design
// issues and tradeoffs for write buffers", HPCA 1997). While it is full, no store begins.
#pragma once

#include "sim/time/machine.hpp"

#include <algorithm>
#include <array>

namespace abut::sim {

class StoreBuffer {
public:
  // 0 entries: any number.
  explicit StoreBuffer(uint32_t entries) : entries_(entries) {}

  // When there is room for the next store.
  Ticks room() const { return entries_ == 0 ? 0 : left_[(count_ - entries_) % kMostInFlight]; }

  // A store enters whose line is there, and whose access has ended, at `ready`.
  void add(Ticks ready) {
    last_ = std::max(last_ + kTicksInCycle, ready);
    left_[count_++ % kMostInFlight] = last_;
  }

private:
  uint32_t entries_;
  uint64_t count_ = 0;
  Ticks last_ = 0;
  std::array<Ticks, kMostInFlight> left_{}; // when the last stores leave
};

} // namespace abut::sim
