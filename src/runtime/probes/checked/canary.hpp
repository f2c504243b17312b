// The bytes around blocks, and in those that are held.
#pragma once

#include "base/units.hpp"

#include <cstring>

namespace abut::checked {

// No address has this in all its bytes, no text and no small number either.
inline constexpr unsigned char kAround = 0xcb;
inline constexpr unsigned char kFreed = 0xdf;

struct Span {
  Address begin = 0;
  Address end = 0;

  void fill(unsigned char byte) const {
    std::memset(reinterpret_cast<void *>(begin), byte, end - begin);
  }

  // The first byte that is another, or `end`.
  Address first_other_than(unsigned char byte) const {
    const auto *at = reinterpret_cast<const unsigned char *>(begin);
    const size_t bytes = end - begin;
    if (bytes == 0 || (*at == byte && std::memcmp(at, at + 1, bytes - 1) == 0)) return end;
    size_t index = 0;
    while (at[index] == byte) ++index;
    return begin + index;
  }
};

} // namespace abut::checked
