// Ranges of neighbours, and the search for a bit in an array of words.
#pragma once

#include <bit>
#include <cstdint>

namespace abut {

// `count` neighbours from `first` on; a count of zero means that there is none.
struct Range {
  uint32_t first = 0;
  uint32_t count = 0;

  constexpr uint32_t end() const { return first + count; }
  constexpr explicit operator bool() const { return count != 0; }
  constexpr bool operator==(const Range &) const = default;
};

// The lowest bit at or after `from` that is set; `bits`, a multiple of 64, if there is none.
constexpr uint32_t next_bit(const uint64_t *words, uint32_t bits, uint32_t from) {
  if (from >= bits) return bits;
  uint32_t index = from / 64;
  uint64_t word = words[index] & (~uint64_t{0} << from % 64);
  while (word == 0) {
    if (++index * 64 == bits) return bits;
    word = words[index];
  }
  return index * 64 + static_cast<uint32_t>(std::countr_zero(word));
}

} // namespace abut
