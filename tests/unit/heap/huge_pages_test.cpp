// From which size on a heap has pages of 2 MiB, and what it does where they come slowly.
#include "heap/huge_pages.hpp"

#include <gtest/gtest.h>

namespace abut::heap {
namespace {

constexpr size_t kOf64MiB = 1024;
constexpr uint64_t kMicroseconds = 1000;

TEST(HugePages, PayFromALargeHeapOn) {
  const HugePageUse use;
  EXPECT_FALSE(use.pays(kOf64MiB - 1));
  EXPECT_TRUE(use.pays(kOf64MiB));
}

TEST(HugePages, StayWhileTheyComeFast) {
  HugePageUse use;
  use.came_after(300 * kMicroseconds, kOf64MiB);
  EXPECT_TRUE(use.pays(kOf64MiB));
}

TEST(HugePages, ThatComeSlowlyAreTriedAgainWhenTheHeapHasDoubled) {
  HugePageUse use;
  use.came_after(5000 * kMicroseconds, 2 * kOf64MiB);
  EXPECT_FALSE(use.pays(4 * kOf64MiB - 1));
  EXPECT_TRUE(use.pays(4 * kOf64MiB));
}

} // namespace
} // namespace abut::heap
