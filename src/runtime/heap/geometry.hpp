// The heap's measures: which sizes are served from where, and how an address falls apart.
//
//   segment  4 MiB, aligned     the unit of address space
//   page    64 KiB              blocks of one size, or in birth order: the unit of ownership
//   long page, 256 KiB          four pages in a row, for larger blocks, and where a class has many
//   (small)  4 KiB              the processor's page, the unit that goes back to the kernel
//
//   tiny     up to 8 bytes      in half of the smallest of those
//   small    up to 1 KiB        classes of 16 bytes, in pages of 64 KiB
//   medium   up to 32 KiB       eight classes a doubling; above 4 KiB in long pages
//   large    up to 2 MiB        pages in a row, shared by all threads
//   huge     above              mapped directly
#pragma once

#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace abut::heap {

inline constexpr unsigned kSegmentShift = 22;
inline constexpr size_t kSegmentBytes = size_t{1} << kSegmentShift;

using Granules = Pieces<4>; // of small blocks: what every size is a multiple of

// What is no longer needs no more than its own alignment: 8 bytes, as C says.
inline constexpr size_t kTinyMax = 8;
inline constexpr size_t kSmallMax = KiB;
inline constexpr size_t kMediumMax = 32 * KiB;
inline constexpr size_t kLargeMax = 2 * MiB;
inline constexpr size_t kRequestMax = PTRDIFF_MAX; // more than that is refused, as glibc does

// A page of blocks, by log2 of its bytes.
inline constexpr unsigned kBlockPageShift = 16;
inline constexpr size_t kBlockPageBytes = size_t{1} << kBlockPageShift;
inline constexpr unsigned kBlockPages = kSegmentBytes / kBlockPageBytes; // in a segment
inline constexpr unsigned kLongPage = 4;                                 // pages

// Size classes: that of a small block is its granules; then eight a doubling; then those of aligned blocks, which are 1 and
// 2 KiB and multiples of 4 KiB; then that of tiny ones.
inline constexpr unsigned kSmallClasses = kSmallMax / Granules::kBytes;
inline constexpr unsigned kLogSmallMax = 10;
inline constexpr unsigned kClassesInDoubling = 8;
inline constexpr unsigned kFirstAligned = 1 + kSmallClasses + kClassesInDoubling * 5;
inline constexpr unsigned kTinyClass = kFirstAligned + 2 + kMediumMax / (4 * KiB);
inline constexpr unsigned kSizeClasses = kTinyClass + 1;

// That of what is not tiny.
constexpr unsigned small_class(size_t bytes) {
  return static_cast<unsigned>((bytes + Granules::kBytes - 1) / Granules::kBytes);
}

// Larger blocks in a row whose size is a multiple of this would begin in few sets of the caches: they get a line more.
inline constexpr uint32_t kAliased = 512;

constexpr uint32_t class_bytes(unsigned size_class) {
  if (size_class < kSmallClasses) return size_class * Granules::kBytes;
  if (size_class == kSmallClasses) return kSmallMax + kLineBytes;
  if (size_class == kTinyClass) return kTinyMax;
  if (size_class == kFirstAligned) return KiB;
  if (size_class > kFirstAligned)
    return std::max<uint32_t>(2 * KiB, (size_class - kFirstAligned - 1) * 4 * KiB);
  const unsigned above = size_class - 1 - kSmallClasses;
  const uint32_t bytes = (kClassesInDoubling + 1 + above % kClassesInDoubling)
                         << (kLogSmallMax - 3 + above / kClassesInDoubling);
  return bytes % kAliased == 0 ? bytes + kLineBytes : bytes;
}
static_assert(class_bytes(kFirstAligned - 1) == kMediumMax + kLineBytes);
static_assert(class_bytes(kTinyClass - 1) == kMediumMax);

// The first class that holds `bytes`, from 1 to kMediumMax.
constexpr unsigned computed_size_class(size_t bytes) {
  if (bytes <= kTinyMax) return kTinyClass;
  if (bytes <= kSmallMax) return small_class(bytes);
  const auto width = static_cast<unsigned>(std::bit_width(bytes - 1));
  const auto eighth = static_cast<unsigned>((bytes - 1) >> (width - 4)) % kClassesInDoubling;
  const unsigned one = 1 + kSmallClasses + (width - 1 - kLogSmallMax) * kClassesInDoubling + eighth;
  return class_bytes(one - 1) >= bytes ? one - 1 : one; // which has a line more
}

// The same by a table of what above the small ones is as long as a line, so that malloc has fewer instructions.
inline constexpr auto kClassesByLine = [] {
  std::array<uint8_t, kMediumMax / kLineBytes> classes{};
  for (size_t i = 0; i < classes.size(); ++i)
    classes[i] = static_cast<uint8_t>(computed_size_class((i + 1) * kLineBytes));
  return classes;
}();
constexpr unsigned size_class(size_t bytes) {
  if (bytes <= kTinyMax) return kTinyClass;
  return bytes <= kSmallMax ? small_class(bytes) : kClassesByLine[(bytes - 1) / kLineBytes];
}

// Of blocks at multiples of `align`, a power of two; neither it nor `bytes` is more than kMediumMax.
constexpr unsigned aligned_class(size_t align, size_t bytes) {
  unsigned one = size_class(std::max(bytes, align));
  if (one > kSmallClasses && align >= kAliased) one = kFirstAligned; // no other has such multiples
  while (class_bytes(one) < bytes || class_bytes(one) % align != 0) ++one;
  return one;
}

// Whether a class has long pages: the larger ones, of which too few blocks fit one page; those for which taking a page costs
// much against what it holds, once the class is so large that a long one is a small part of it.
enum class LongPages : uint8_t { never, once_large, always };
constexpr LongPages long_pages(uint32_t bytes) {
  if (bytes > 4 * KiB) return LongPages::always;
  return bytes >= 256 && bytes < kSmallMax ? LongPages::once_large : LongPages::never;
}

// What pages of a size class are like.
struct ClassMeasures {
  uint32_t bytes;      // of a block
  uint32_t blocks;     // of a page, from its beginning on
  uint64_t reciprocal; // 2^64 over a block's bytes, rounded up
  // The first block that begins in each page of a long one; behind them, their number.
  uint16_t firsts[kLongPage + 1];

  constexpr uint32_t blocks_of_long() const { return firsts[kLongPage]; }
};

constexpr ClassMeasures measures_of(unsigned size_class) {
  ClassMeasures one{};
  one.bytes = class_bytes(size_class);
  one.blocks = static_cast<uint32_t>(kBlockPageBytes) / one.bytes;
  one.reciprocal = ~uint64_t{0} / one.bytes + 1;
  for (uint32_t i = 0; i < kLongPage; ++i) {
    const auto begin = static_cast<uint32_t>(i * kBlockPageBytes);
    one.firsts[i] = static_cast<uint16_t>((begin + one.bytes - 1) / one.bytes);
  }
  one.firsts[kLongPage] = static_cast<uint16_t>(kLongPage * kBlockPageBytes / one.bytes);
  return one;
}
inline constexpr auto kMeasures = [] {
  std::array<ClassMeasures, kSizeClasses> all{};
  for (unsigned one = 1; one < kSizeClasses; ++one) all[one] = measures_of(one);
  return all;
}();

// What a block, or a mapping, takes.
struct Extent {
  Address begin = 0;
  Address end = 0;

  bool holds(Address address) const { return address - begin < end - begin; }
};

} // namespace abut::heap
