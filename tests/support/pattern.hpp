// Fills a block with bytes that only its own key yields, so that any overlap, loss or stray write
// shows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace support {

void fill(void *block, std::size_t size, std::uint64_t key);

// Whether the first `size` bytes still hold what fill(block, at least size, key) wrote.
[[nodiscard]] bool holds(const void *block, std::size_t size, std::uint64_t key);

// The same for large blocks, of which only the first 64 KiB and the beginning of each page are
// looked at.
void fill_sparsely(void *block, std::size_t size, std::uint64_t key);
[[nodiscard]] bool holds_sparsely(const void *block, std::size_t size, std::uint64_t key);

[[nodiscard]] bool all_zero(const void *block, std::size_t size);

} // namespace support
