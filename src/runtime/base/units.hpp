// The sizes that everything else is measured in, and the types that keep them apart.
//
// A processor fetches lines; the kernel hands out pages; the heap cuts both into granules. A number of one
// of these is never a number of another, so each has its own type; plain `size_t` always means bytes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace abut {

using Address = std::uintptr_t;

inline constexpr size_t KiB = size_t{1} << 10;
inline constexpr size_t MiB = size_t{1} << 20;
inline constexpr size_t GiB = size_t{1} << 30;
inline constexpr size_t TiB = size_t{1} << 40;

inline constexpr size_t kLineBytes = 64;
inline constexpr size_t kLinePairBytes = 2 * kLineBytes; // what many processors fetch at once
inline constexpr size_t kPageBytes = 4 * KiB;
inline constexpr unsigned kPageShift = 12;

// A count of equal pieces of memory. `Shift` is log2 of a piece's bytes.
template <unsigned Shift>
struct Pieces {
  uint32_t n = 0;

  static constexpr size_t kBytes = size_t{1} << Shift;

  constexpr size_t bytes() const { return size_t{n} << Shift; }
  constexpr auto operator<=>(const Pieces &) const = default;

  // The fewest pieces that hold `bytes`; the caller has bounded `bytes` to what 32 bits can count.
  static constexpr Pieces holding(size_t bytes) {
    return {static_cast<uint32_t>((bytes + kBytes - 1) >> Shift)};
  }
};

using Pages = Pieces<kPageShift>;

constexpr size_t round_up(size_t value, size_t power_of_two) {
  return (value + power_of_two - 1) & ~(power_of_two - 1);
}

constexpr size_t round_down(size_t value, size_t power_of_two) {
  return value & ~(power_of_two - 1);
}

constexpr bool is_power_of_two(size_t value) { return value != 0 && (value & (value - 1)) == 0; }

} // namespace abut
