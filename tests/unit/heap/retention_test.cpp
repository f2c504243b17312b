// Numbers of pages, added and taken away by hand.
#include "heap/retention.hpp"

#include "helpers/option_setting.hpp"

#include <gtest/gtest.h>

namespace abut::heap {
namespace {

constexpr size_t kPagesInMiB = MiB / kPageBytes;

class RetentionTest : public testing::Test {
protected:
  // So many pages in use, beside what other tests have left.
  void SetUp() override { pages_taken.add(kInUse); }
  void TearDown() override { pages_taken.subtract(kInUse); }

  static constexpr size_t kInUse = 80000;
  test::OptionSetting retain{Option::retain_mb, 0};
  const test::OptionSetting decay{Option::decay_ms, 1000};
  Retention retention;
};

TEST_F(RetentionTest, AllowsAQuarterOfTheMostPagesThatWereInUse) {
  EXPECT_EQ(retention.limit(), pages_taken.highest() / 4);
  EXPECT_GE(retention.limit(), kInUse / 4);
}

TEST_F(RetentionTest, AllowsWhatTheOptionSaysThoughLittleIsInUse) {
  retain.set(1000);
  EXPECT_EQ(retention.limit(), 1000 * kPagesInMiB);
}

TEST_F(RetentionTest, IsExceededByMoreResidentPagesThanAreAllowed) {
  const size_t allowed = retention.limit();
  retention.add_resident(allowed);
  EXPECT_EQ(retention.resident(), allowed);
  EXPECT_FALSE(retention.exceeded());
  retention.add_resident(1);
  EXPECT_TRUE(retention.exceeded());
  retention.subtract_resident(2);
  EXPECT_FALSE(retention.exceeded());
}

TEST_F(RetentionTest, AllowsMoreAfterPagesWentBackAndWereAskedForAgain) {
  const size_t allowed = retention.limit();
  retention.took(500);
  EXPECT_EQ(retention.limit(), allowed) << "none of them had been given back";
  retention.gave_back(300);
  EXPECT_EQ(retention.limit(), allowed) << "that may have been right";
  retention.took(200);
  EXPECT_EQ(retention.limit(), allowed + 200);
  retention.took(500);
  EXPECT_EQ(retention.limit(), allowed + 300) << "each page is regretted once";
}

TEST_F(RetentionTest, RegretsAMappingOnlyWhereOneOfAboutItsLengthIsWanted) {
  const size_t allowed = retention.limit();
  retention.gave_back(300, Kept::mappings);
  retention.took(700, Kept::mappings);
  EXPECT_EQ(retention.limit(), allowed) << "a block that grows gave up the shorter one";
  retention.took(300, Kept::mappings);
  EXPECT_EQ(retention.limit(), allowed + 300);
}

TEST_F(RetentionTest, AllowsAGrowingHeapWhatItOnceHad) {
  retain.set(3);
  pages_taken.add(pages_taken.highest() - pages_taken.value());
  EXPECT_EQ(retention.limit_while_growing(), 3 * kPagesInMiB);
  pages_taken.subtract(1000);
  EXPECT_EQ(retention.limit_while_growing(), 3 * kPagesInMiB + 1000);
  pages_taken.add(1400);
  EXPECT_EQ(retention.limit_while_growing(), 3 * kPagesInMiB);
  pages_taken.subtract(400);
}

TEST_F(RetentionTest, AllowsWhatItEarnedWhereTheHeapDoesNotGrow) {
  pages_taken.add(pages_taken.highest() - pages_taken.value());
  retention.gave_back(300);
  retention.took(300);
  EXPECT_EQ(retention.limit_while_growing(), 0U) << "it is as large as it ever was";
  pages_taken.subtract(1000);
  EXPECT_EQ(retention.limit_while_growing(), 1000U + 300U);
  retention.gave_back(pages_taken.highest());
  retention.took(pages_taken.highest());
  EXPECT_EQ(retention.limit_while_growing(), 1000U + pages_taken.highest() / 6);
  pages_taken.add(1000);
}

TEST_F(RetentionTest, NeverEarnsMoreThanAPartOfWhatWasEverInUse) {
  const size_t allowed = retention.limit();
  for (int i = 0; i < 100; ++i) {
    retention.gave_back(pages_taken.highest());
    retention.took(pages_taken.highest());
  }
  EXPECT_GT(retention.limit(), allowed);
  EXPECT_LE(retention.limit(), allowed + pages_taken.highest());
}

TEST_F(RetentionTest, IsLookedAtTwiceADecayTimeAtMost) {
  constexpr uint64_t kNow = 1000000;
  EXPECT_TRUE(retention.due(kNow));
  EXPECT_FALSE(retention.due(kNow));
  EXPECT_FALSE(retention.due(kNow + 499));
  EXPECT_TRUE(retention.due(kNow + 500));
  EXPECT_FALSE(retention.due(kNow + 999));
}

TEST_F(RetentionTest, ForgetsWhatItEarnedAsTimePasses) {
  const size_t allowed = retention.limit();
  retention.gave_back(256);
  retention.took(256);
  retention.gave_back(256);
  for (uint64_t look = 1; look <= 20; ++look) EXPECT_TRUE(retention.due(look * 1000));
  EXPECT_EQ(retention.limit(), allowed);
  retention.took(256);
  EXPECT_EQ(retention.limit(), allowed) << "what went back long ago is not regretted";
}

} // namespace
} // namespace abut::heap
