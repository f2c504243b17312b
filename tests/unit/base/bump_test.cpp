#include "base/bump.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

TEST(Bump, TheLowestByteTellsWhenItMustCarry) {
  uint64_t counter = 0x12f0;
  unsigned carries = 0;
  for (unsigned i = 0; i < 1000; ++i) {
    if (!bump_lowest(counter)) continue;
    EXPECT_EQ(counter % 256, 0U);
    carry(counter);
    ++carries;
  }
  EXPECT_EQ(counter, 0x12f0U + 1000);
  EXPECT_EQ(carries, 4U);
  bump(counter, uint64_t{256});
  EXPECT_EQ(counter, 0x12f0U + 1256);
}

} // namespace
} // namespace abut
