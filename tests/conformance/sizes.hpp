// Sizes on both sides of every border that an allocator is likely to have: each small size, each
// power of two and the quarters between them, each with its neighbours.
#pragma once

#include <cstddef>
#include <vector>

namespace conformance {

// Ascending, from 1 to about `limit`.
[[nodiscard]] inline std::vector<std::size_t> telling_sizes(std::size_t limit) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= 1100 && size <= limit; ++size) sizes.push_back(size);
  for (std::size_t power = 1024; power <= limit; power *= 2)
    for (std::size_t quarter = 4; quarter < 8; ++quarter)
      for (const long step : {-17L, -16L, -8L, -1L, 0L, 1L, 8L, 16L, 17L}) {
        const std::size_t size = power / 4 * quarter + static_cast<std::size_t>(step);
        if (size > sizes.back() && size <= limit) sizes.push_back(size);
      }
  return sizes;
}

// The alignment that a block of this size must have on a 64-bit machine: that of the largest type
// that fits.
[[nodiscard]] constexpr std::size_t least_alignment(std::size_t size) {
  return size >= 16 ? 16 : size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

} // namespace conformance
