// The heap's measures: which sizes are served from where, and how an address falls apart.
//
//   segment  4 MiB, aligned     the unit of address space
//   page    64 KiB, 256 KiB     blocks of one size, or in birth order: the unit of ownership
//   (small)  4 KiB              the processor's page, the unit that goes back to the kernel
//
//   small    up to 512 bytes    classes of 16 bytes, in pages of 64 KiB
//   sized    up to 4 KiB        eight classes a doubling, in the same
//   medium   up to 32 KiB       steps of 512 bytes, in pages of 256 KiB
//   large    up to 2 MiB        runs of 4 KiB, best fit, shared by all threads
//   huge     above              mapped directly
#pragma once

#include "base/units.hpp"

#include <array>
#include <bit>

namespace abut::heap {

inline constexpr unsigned kSegmentShift = 22;
inline constexpr size_t kSegmentBytes = size_t{1} << kSegmentShift;
inline constexpr unsigned kPagesInSegment = kSegmentBytes / kPageBytes;

using Granules = Pieces<4>; // of small blocks: what every size is a multiple of

inline constexpr size_t kSmallMax = 512;
inline constexpr size_t kSizedMax = 4 * KiB;
inline constexpr size_t kMediumMax = 32 * KiB;
inline constexpr size_t kLargeMax = 2 * MiB;
inline constexpr size_t kRequestMax = PTRDIFF_MAX; // more than that is refused, as glibc does

// A page of blocks, by log2 of its bytes.
inline constexpr unsigned kSmallPageShift = 16;
inline constexpr unsigned kMediumPageShift = 18;
inline constexpr size_t kSmallPageBytes = size_t{1} << kSmallPageShift;
inline constexpr size_t kMediumPageBytes = size_t{1} << kMediumPageShift;

// Size classes: that of a small block is its granules; then eight a doubling.
inline constexpr unsigned kSmallClasses = kSmallMax / Granules::kBytes;
inline constexpr unsigned kLogSmallMax = 9;
inline constexpr unsigned kClassesInDoubling = 8;
inline constexpr unsigned kSizeClasses = 1 + kSmallClasses + kClassesInDoubling * 3;

constexpr unsigned small_class(size_t bytes) {
  return static_cast<unsigned>((bytes + Granules::kBytes - 1) / Granules::kBytes);
}

// `bytes` is from 1 to kSizedMax.
constexpr unsigned computed_size_class(size_t bytes) {
  if (bytes <= kSmallMax) return small_class(bytes);
  const auto width = static_cast<unsigned>(std::bit_width(bytes - 1));
  const auto eighth = static_cast<unsigned>((bytes - 1) >> (width - 4)) % kClassesInDoubling;
  return 1 + kSmallClasses + (width - 1 - kLogSmallMax) * kClassesInDoubling + eighth;
}

// Blocks in a row whose size is a multiple of this would begin in few sets of the caches: they get a line more.
inline constexpr uint32_t kAliased = 512;

constexpr uint32_t class_bytes(unsigned size_class) {
  if (size_class <= kSmallClasses) return size_class * Granules::kBytes;
  const unsigned above = size_class - 1 - kSmallClasses;
  const uint32_t bytes = (kClassesInDoubling + 1 + above % kClassesInDoubling)
                         << (kLogSmallMax - 3 + above / kClassesInDoubling);
  return bytes % kAliased == 0 ? bytes + kLineBytes : bytes;
}
static_assert(class_bytes(kSizeClasses - 1) == kSizedMax + kLineBytes);

// The same by a table of what above the small ones is as long as a line, so that malloc has fewer instructions.
inline constexpr auto kClassesByLine = [] {
  std::array<uint8_t, kSizedMax / kLineBytes> classes{};
  for (size_t i = 0; i < classes.size(); ++i)
    classes[i] = static_cast<uint8_t>(computed_size_class((i + 1) * kLineBytes));
  return classes;
}();
constexpr unsigned size_class(size_t bytes) {
  return bytes <= kSmallMax ? small_class(bytes) : kClassesByLine[(bytes - 1) / kLineBytes];
}

constexpr unsigned page_in_segment(Address address) {
  return static_cast<unsigned>(address >> kPageShift) % kPagesInSegment;
}

} // namespace abut::heap
