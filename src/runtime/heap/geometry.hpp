// The heap's measures: which sizes are served from where, and how an address falls apart.
//
//   segment  4 MiB, aligned      the unit of address space
//   unit    64 KiB               the unit of ownership: a span is one unit (small) or two (medium)
//   page     4 KiB               the unit that goes back to the kernel
//
//   small    up to 512 bytes     16-byte granules; each size on pages of its own, or all in order of birth
//   medium   up to 16 KiB        64-byte granules, all sizes side by side in a span, best fit
//   large    up to 2 MiB         whole pages, best fit, shared by all threads
//   huge     above               mapped directly
#pragma once

#include "base/units.hpp"

namespace abut::heap {

inline constexpr unsigned kSegmentShift = 22;
inline constexpr size_t kSegmentBytes = size_t{1} << kSegmentShift;
inline constexpr unsigned kUnitShift = 16;
inline constexpr size_t kUnitBytes = size_t{1} << kUnitShift;
inline constexpr unsigned kUnitsInSegment = kSegmentBytes / kUnitBytes;
inline constexpr unsigned kPagesInSegment = kSegmentBytes / kPageBytes;
inline constexpr unsigned kPagesInUnit = kUnitBytes / kPageBytes;
inline constexpr unsigned kUnitsInMediumSpan = 2;
inline constexpr unsigned kPagesInMediumSpan = kUnitsInMediumSpan * kPagesInUnit;
inline constexpr size_t kMediumSpanBytes =
    kUnitsInMediumSpan * kUnitBytes; // and a multiple of it is where one begins

using Granules = Pieces<4>;       // of small blocks
using MediumGranules = Pieces<6>; // of medium blocks
using Units = Pieces<kUnitShift>;

inline constexpr size_t kSmallMax = 512;
inline constexpr size_t kMediumMax = 16 * KiB;
inline constexpr size_t kLargeMax = 2 * MiB;
inline constexpr size_t kRequestMax = PTRDIFF_MAX; // more than that is refused, as glibc does

inline constexpr unsigned kSmallClasses = kSmallMax / Granules::kBytes;
inline constexpr unsigned kGranulesInPage = kPageBytes / Granules::kBytes;
inline constexpr unsigned kMediumGranulesInSpan =
    kUnitsInMediumSpan * kUnitBytes / MediumGranules::kBytes;

// What a unit is used for. The values are the low bits of its tag.
enum class Tier : uint32_t { pages = 0, small = 1, medium = 2 };

constexpr unsigned page_in_segment(Address address) {
  return static_cast<unsigned>(address >> kPageShift) % kPagesInSegment;
}
constexpr unsigned unit_in_segment(Address address) {
  return static_cast<unsigned>(address >> kUnitShift) % kUnitsInSegment;
}
constexpr unsigned granule_in_page(Address address) {
  return static_cast<unsigned>(address >> 4) % kGranulesInPage;
}

} // namespace abut::heap
