// Random replacement: any way of a full set, from a generator with a seed (Marsaglia's xorshift of 64 bits).
#pragma once

#include "sim/policy/replacement.hpp"

namespace abut::sim {

class Random {
public:
  static constexpr bool kRepeatIsIdle = true;

  explicit Random(const SetShape &shape)
      : state_(shape.seed * 0x9e3779b97f4a7c15U | 1), ways_(shape.ways) {}

  void use(uint64_t, uint32_t) {}
  void arrive(uint64_t, uint32_t) {}

  uint32_t choose(uint64_t) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 32) * ways_ >> 32);
  }

private:
  uint64_t state_;
  uint32_t ways_;
};

} // namespace abut::sim
