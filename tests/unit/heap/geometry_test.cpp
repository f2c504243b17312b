#include "heap/geometry.hpp"

#include <gtest/gtest.h>

namespace abut::heap {
namespace {

TEST(Geometry, KeepsTheTiersInOrderOfSize) {
  EXPECT_LT(kSmallMax, kMediumMax);
  EXPECT_LT(kMediumMax, kLargeMax);
  EXPECT_LT(kLargeMax, kSegmentBytes) << "a large block lies in a segment beside its description";
}

TEST(Geometry, EverySizeHasTheFirstClassThatHoldsIt) {
  for (size_t bytes = 1; bytes <= kMediumMax; ++bytes) {
    const unsigned one = size_class(bytes);
    ASSERT_EQ(one, computed_size_class(bytes)) << bytes;
    ASSERT_GE(class_bytes(one), bytes);
    ASSERT_TRUE(one == 1 || one == kTinyClass || class_bytes(one - 1) < bytes) << bytes;
  }
}

TEST(Geometry, TinyBlocksTakeNoMoreThanTheirAlignment) {
  EXPECT_EQ(class_bytes(size_class(1)), 8U);
  EXPECT_EQ(class_bytes(size_class(8)), 8U);
  EXPECT_EQ(class_bytes(size_class(9)), 16U);
}

TEST(Geometry, LargerSizesAreOfAsManyLinesAsSpreadOverTheSets) {
  for (unsigned one = kSmallClasses + 1; one < kFirstAligned; ++one)
    EXPECT_NE(class_bytes(one) % kAliased, 0U) << one;
}

TEST(Geometry, AnAlignedBlockHasTheFirstClassThatIsAMultiple) {
  for (size_t align = 32; align <= kMediumMax; align *= 2)
    for (size_t bytes = 1; bytes <= kMediumMax; bytes += 13) {
      const uint32_t each = class_bytes(aligned_class(align, bytes));
      ASSERT_EQ(each % align, 0U) << bytes << " at " << align;
      ASSERT_GE(each, bytes);
      ASSERT_LT(each, std::max(2 * bytes, bytes + std::max(align, 4 * KiB)));
    }
}

} // namespace
} // namespace abut::heap
