// What the kernel says of this process's memory; reading it allocates nothing.
#pragma once

#include <cstddef>

namespace support {

[[nodiscard]] std::size_t resident_bytes();
[[nodiscard]] std::size_t mapped_bytes();

// How many mappings the process has (the kernel allows vm.max_map_count of them).
[[nodiscard]] std::size_t mapping_count();

// Bytes straight from the kernel, for book-keeping that must not touch the heap under test; zeroed.
[[nodiscard]] void *map_bytes(std::size_t size);
void unmap_bytes(void *start, std::size_t size);

} // namespace support
