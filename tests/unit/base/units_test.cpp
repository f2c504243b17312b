#include "base/units.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

TEST(Pieces, HoldEveryByteWithTheFewestPieces) {
  for (size_t bytes = 0; bytes <= 5 * kPageBytes; ++bytes) {
    const Pages pages = Pages::holding(bytes);
    ASSERT_GE(pages.bytes(), bytes);
    ASSERT_LT(pages.bytes(), bytes + kPageBytes);
  }
}

TEST(Pieces, CountBytesBeyondFourGiB) {
  EXPECT_EQ(Pages{1U << 31}.bytes(), size_t{8192} * GiB);
  EXPECT_EQ(Pages::holding(8192 * GiB).n, 1U << 31);
}

TEST(Pieces, CompareByNumber) {
  EXPECT_LT(Pages{1}, Pages{2});
  EXPECT_EQ(Pages{7}, Pages::holding(7 * kPageBytes));
  EXPECT_GT(Pages::holding(7 * kPageBytes + 1), Pages{7});
}

TEST(Rounding, GivesTheNearestMultipleOnEitherSide) {
  for (size_t power = 1; power <= 4096; power *= 2)
    for (size_t value = 0; value <= 10000; ++value) {
      const size_t up = round_up(value, power);
      const size_t down = round_down(value, power);
      ASSERT_EQ(up % power, 0U);
      ASSERT_EQ(down % power, 0U);
      ASSERT_TRUE(up >= value && up - value < power) << value << " up to " << power;
      ASSERT_TRUE(down <= value && value - down < power) << value << " down to " << power;
    }
}

TEST(PowerOfTwo, IsWhatHasOneBit) {
  for (size_t value = 0; value <= 5000; ++value)
    ASSERT_EQ(is_power_of_two(value), __builtin_popcountll(value) == 1) << value;
  EXPECT_TRUE(is_power_of_two(size_t{1} << 63));
  EXPECT_FALSE(is_power_of_two(SIZE_MAX));
}

} // namespace
} // namespace abut
