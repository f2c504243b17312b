// When the values of the last accesses were there, for the accesses whose addresses come from them: loads' when they
// ended. What was stored lately, a load has from the store buffer, as soon as that has it.
#pragma once

#include "sim/time/machine.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace abut::sim {

class Values {
public:
  // When the next access's source, as in traces, was there.
  Ticks known(uint8_t source) const {
    return source <= 1 ? 0 : there_[(count_ + 1 - source) % kAccesses];
  }

  // When what the next access loads was stored; 0: long ago.
  Ticks stored(uint64_t address) const {
    const Stored &last = stored_[address / kWord % kStores];
    return last.word == address / kWord ? last.there : 0;
  }

  void load(Ticks there) { there_[count_++ % kAccesses] = there; }

  // `there`: what it writes.
  void store(uint64_t address, Ticks there) {
    stored_[address / kWord % kStores] = {address / kWord, there};
    load(0);
  }

private:
  static constexpr size_t kAccesses = 256; // sources reach no further
  static constexpr size_t kStores = 64;
  static constexpr uint64_t kWord = 8; // bytes

  struct Stored {
    uint64_t word = ~uint64_t{0};
    Ticks there = 0;
  };
  uint64_t count_ = 0;
  std::array<Ticks, kAccesses> there_{};
  std::array<Stored, kStores> stored_{};
};

} // namespace abut::sim
