// A seeded random source whose sequence is the same on every machine and under every allocator:
// the standard library's distributions promise neither.
#pragma once

#include <cstdint>

namespace bench {

class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // SplitMix64: one addition and three shifts, so drawing never hides the cost of an allocation.
  std::uint64_t next() {
    std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }

  // A whole number in [0, limit). The bias of the multiply is below 2^-32 for the limits used here.
  std::uint64_t below(std::uint64_t limit) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * limit) >> 64);
  }

  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }

  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  bool chance(double probability) { return unit() < probability; }

private:
  std::uint64_t state_;
};

template <typename T>
void shuffle(T *items, std::uint64_t count, Random &random) {
  for (std::uint64_t i = count; i > 1; --i) {
    const std::uint64_t other = random.below(i);
    T kept = items[i - 1];
    items[i - 1] = items[other];
    items[other] = kept;
  }
}

} // namespace bench
