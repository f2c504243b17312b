// What the kernel says of this process's memory; reading it allocates nothing.
#pragma once

#include <cstddef>
#include <string>

namespace support {

[[nodiscard]] std::size_t resident_bytes();
[[nodiscard]] std::size_t mapped_bytes();

// How many mappings the process has (the kernel allows vm.max_map_count of them).
[[nodiscard]] std::size_t mapping_count();

// The flags of the mapping that an address lies in, as the kernel names them in smaps, each behind a space.
[[nodiscard]] std::string mapping_flags(const void *address);

// Bytes straight from the kernel, for book-keeping that must not touch the heap under test; zeroed.
[[nodiscard]] void *map_bytes(std::size_t size);
void unmap_bytes(void *start, std::size_t size);

} // namespace support
