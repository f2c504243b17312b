// A small seeded generator (SplitMix64): the same numbers on every machine, and no allocation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace support {

[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Random {
public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15u); }

  // Uniform in [0, bound); bound must not be 0.
  constexpr std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  // A size in [1, limit] whose logarithm is uniform: as many below 100 bytes as below 10 KB but
  // above 1 KB.
  constexpr std::size_t size_up_to(std::size_t limit) {
    const auto width = below(static_cast<std::uint64_t>(std::bit_width(limit))) + 1;
    const std::size_t size =
        (std::size_t{1} << (width - 1)) + below(std::uint64_t{1} << (width - 1));
    return size < limit ? size : limit;
  }

private:
  std::uint64_t state_;
};

} // namespace support
