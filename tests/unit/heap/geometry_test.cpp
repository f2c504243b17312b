#include "heap/geometry.hpp"

#include <gtest/gtest.h>

namespace abut::heap {
namespace {

TEST(Geometry, TakesAnAddressApart) {
  constexpr Address kSegment = 123 * kSegmentBytes;
  constexpr Address kAddress = kSegment + 5 * kUnitBytes + 3 * kPageBytes + 7 * Granules::kBytes;
  EXPECT_EQ(unit_in_segment(kAddress), 5U);
  EXPECT_EQ(page_in_segment(kAddress), 5 * kPagesInUnit + 3);
  EXPECT_EQ(granule_in_page(kAddress), 7U);
  EXPECT_EQ(unit_in_segment(kSegment), 0U);
  EXPECT_EQ(page_in_segment(kSegment + kSegmentBytes - 1), kPagesInSegment - 1);
  EXPECT_EQ(unit_in_segment(kSegment + kSegmentBytes - 1), kUnitsInSegment - 1);
  EXPECT_EQ(granule_in_page(kSegment + kSegmentBytes - 1), kGranulesInPage - 1);
}

TEST(Geometry, KeepsTheTiersInOrderOfSize) {
  EXPECT_LT(kSmallMax, kMediumMax);
  EXPECT_LT(kMediumMax, kLargeMax);
  EXPECT_LT(kLargeMax, kSegmentBytes) << "a large block lies in a segment beside its description";
  EXPECT_LE(kSmallMax, kPageBytes) << "a small block lies in one page";
  EXPECT_LT(kMediumMax, kUnitsInMediumSpan * kUnitBytes) << "a medium block lies in one span";
}

} // namespace
} // namespace abut::heap
