// One operation on the heap, and how six bytes spell it. The README states the format; it is read
// by the fuzzer, by files of operations, and by the seeded runs alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fuzz {

enum class Kind : std::uint8_t {
  malloc,
  calloc,
  realloc,
  free,
  aligned_alloc,
  posix_memalign,
  memalign,
  reallocarray,
  new_delete,
  aligned_new,
  fill_usable,
  verify,
  malloc_burst,
  free_burst,
  trim,
  hand_over,
};

inline constexpr std::size_t kKindCount = 16;
inline constexpr std::size_t kOperationBytes = 6;
inline constexpr std::size_t kSlotCount = 256;
inline constexpr std::size_t kBurstLength = 16;

struct Operation {
  Kind kind;
  std::size_t alignment; // a power of two from 8 to 2^18
  std::size_t thread;    // 0 to 255; taken modulo the threads that there are
  std::size_t slot;
  std::size_t size; // 0 to 16 MiB

  static constexpr Operation decode(const std::array<std::uint8_t, kOperationBytes> &bytes) {
    return {.kind = static_cast<Kind>(bytes[0] % kKindCount),
            .alignment = std::size_t{8} << (bytes[0] / kKindCount),
            .thread = bytes[1],
            .slot = (bytes[2] | std::size_t{bytes[3]} << 8) % kSlotCount,
            .size = decode_size(bytes[4], bytes[5])};
  }

private:
  // Eight scales of exact sizes below 2048, and 24 scales of which each doubles the one before.
  static constexpr std::size_t decode_size(std::uint8_t scale, std::uint8_t step) {
    const std::size_t at = scale % 32;
    if (at >= 24) return (at - 24) * 256 + step;
    return ((std::size_t{256} + step) << at) >> 8;
  }
};

} // namespace fuzz
