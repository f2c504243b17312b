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
    ASSERT_TRUE(one == 1 || class_bytes(one - 1) < bytes + kLineBytes) << bytes;
  }
}

TEST(Geometry, LargerSizesAreOfAsManyLinesAsSpreadOverTheSets) {
  for (unsigned one = kSmallClasses + 1; one < kSizeClasses; ++one)
    EXPECT_NE(class_bytes(one) % kAliased, 0U) << one;
}

} // namespace
} // namespace abut::heap
