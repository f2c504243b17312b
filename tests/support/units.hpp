// Sizes, for tests that know nothing of the library's headers.
#pragma once

#include <cstddef>

namespace support {

inline constexpr std::size_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

} // namespace support
