// Arrays of bits in words: runs of zeros, by which free places are found in every map of the heap, and ranges.
#pragma once

#include <algorithm>
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

// The lowest bit at or after `from` that is set (or, with `Value` false, clear); `bits` if there is none.
template <bool Value>
constexpr uint32_t next_bit(const uint64_t *words, uint32_t bits, uint32_t from) {
  if (from >= bits) return bits;
  uint32_t index = from >> 6;
  uint64_t word = (Value ? words[index] : ~words[index]) & (~uint64_t{0} << (from & 63));
  while (word == 0) {
    if ((++index << 6) >= bits) return bits;
    word = Value ? words[index] : ~words[index];
  }
  return (index << 6) + static_cast<uint32_t>(std::countr_zero(word));
}

// One more than the highest set bit below `before`; zero if there is none.
constexpr uint32_t after_last_bit(const uint64_t *words, uint32_t before) {
  if (before == 0) return 0;
  uint32_t index = (before - 1) >> 6;
  uint64_t word = words[index] & (~uint64_t{0} >> (63 - ((before - 1) & 63)));
  while (word == 0) {
    if (index == 0) return 0;
    word = words[--index];
  }
  return (index << 6) + 64 - static_cast<uint32_t>(std::countl_zero(word));
}

// The next longest-possible run of zeros that begins at or after `from`; `bits` is a multiple of 64.
constexpr Range next_zero_run(const uint64_t *words, uint32_t bits, uint32_t from) {
  const uint32_t first = next_bit<false>(words, bits, from);
  if (first == bits) return {};
  return {first, next_bit<true>(words, bits, first) - first};
}

// Calls `visit(uint64_t &word, uint64_t mask)` for each word that has bits of the range.
template <class Visit>
constexpr void each_word(uint64_t *words, Range range, Visit visit) {
  for (uint32_t at = range.first; at < range.end();) {
    const uint32_t count = std::min(64 - at % 64, range.end() - at);
    visit(words[at / 64], (~uint64_t{0} >> (64 - count)) << at % 64);
    at += count;
  }
}

constexpr void set_bits(uint64_t *words, Range range) {
  each_word(words, range, [](uint64_t &word, uint64_t mask) { word |= mask; });
}

// Clears them; how many were set.
constexpr uint32_t clear_bits(uint64_t *words, Range range) {
  uint32_t cleared = 0;
  each_word(words, range, [&](uint64_t &word, uint64_t mask) {
    if ((word & mask) == 0) return;
    cleared += static_cast<uint32_t>(std::popcount(word & mask));
    word &= ~mask;
  });
  return cleared;
}

// Where in `run` a piece of `count` fits whose index is a multiple of `align` (a power of two).
constexpr Range fit_in(Range run, uint32_t count, uint32_t align) {
  const uint32_t first = (run.first + align - 1) & ~(align - 1);
  return first + count <= run.end() ? Range{first, count} : Range{};
}

} // namespace abut
