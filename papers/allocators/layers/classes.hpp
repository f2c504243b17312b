// Size classes: exact ones, eight bytes apart, and powers of two.
#pragma once

#include "allocators/layers/concepts.hpp"

#include <bit>

namespace abut::layers {

// Every multiple of eight up to Max: no block is longer than the request, rounded to eight (Vam, section 3.1).
template <size_t Max>
struct EightByteClasses {
  static constexpr size_t kMax = Max;
  static constexpr unsigned kCount = Max / 8;
  static constexpr unsigned index(size_t bytes) { return static_cast<unsigned>((bytes - 1) / 8); }
  static constexpr size_t size(unsigned index) { return 8 * (size_t{index} + 1); }
};

// Powers of two from Min to Max (PHKmalloc, Vam's section 2.2).
template <size_t Min, size_t Max>
struct PowerOfTwoClasses {
  static_assert(is_power_of_two(Min) && is_power_of_two(Max));
  static constexpr size_t kMax = Max;
  static constexpr unsigned kCount = std::countr_zero(Max) - std::countr_zero(Min) + 1;
  static constexpr unsigned index(size_t bytes) {
    return bytes <= Min ? 0
                        : static_cast<unsigned>(std::bit_width(bytes - 1) - std::countr_zero(Min));
  }
  static constexpr size_t size(unsigned index) { return Min << index; }
};

static_assert(SizeClasses<EightByteClasses<496>> && SizeClasses<PowerOfTwoClasses<16, 2048>>);

} // namespace abut::layers
