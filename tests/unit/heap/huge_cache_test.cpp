// Blocks are freed as usual: the process's one cache keeps their mappings.
#include "heap/huge_cache.hpp"

#include "heap/segment_map.hpp"
#include "helpers/option_setting.hpp"
#include "helpers/residency.hpp"
#include "support/pattern.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace abut::heap {
namespace {

class HugeCacheTest : public testing::Test {
protected:
  static HugeInfo *info_of(const void *memory) {
    return huge_block_at(reinterpret_cast<Address>(memory));
  }

  HugeCacheTest() { huge_cache.give_back(~uint64_t{0}); }
  ~HugeCacheTest() override {
    for (void *memory : held) free_huge(info_of(memory));
    huge_cache.give_back(~uint64_t{0});
    EXPECT_EQ(retention.resident(), resident_before);
    EXPECT_EQ(segment_map.mapped_bytes(), mapped_before);
    EXPECT_EQ(pages_taken.value(), taken_before);
  }

  void *take(size_t bytes, size_t align = 1) {
    held.push_back(allocate_huge(bytes, align, clean));
    EXPECT_NE(held.back(), nullptr);
    return held.back();
  }

  void free(void *memory) {
    std::erase(held, memory);
    free_huge(info_of(memory));
  }

  test::OptionSetting retain{Option::retain_mb, 64};
  bool clean = false;
  std::vector<void *> held;
  const size_t resident_before = retention.resident();
  const size_t mapped_before = segment_map.mapped_bytes();
  const size_t taken_before = pages_taken.value();
};

TEST_F(HugeCacheTest, KeepsAFreedMappingForTheNextBlockOfItsSize) {
  void *memory = take(5 * MiB);
  support::fill(memory, 5 * MiB, 1);
  free(memory);
  EXPECT_TRUE(test::is_mapped(memory));
  EXPECT_GE(retention.resident(), resident_before + 5 * MiB / kPageBytes);
  EXPECT_EQ(pages_taken.value(), taken_before) << "it is free all the same";
  EXPECT_EQ(take(5 * MiB), memory);
  EXPECT_FALSE(clean) << "it holds what was written to it";
  EXPECT_EQ(retention.resident(), resident_before);
}

TEST_F(HugeCacheTest, DoesNotTakeAKeptMappingForABlock) {
  void *memory = take(5 * MiB);
  free(memory);
  EXPECT_EQ(info_of(memory), nullptr);
}

TEST_F(HugeCacheTest, ServesBlocksFromHalfItsSizeButNoSmallerOnes) {
  void *memory = take(8 * MiB);
  free(memory);
  EXPECT_NE(take(3 * MiB), memory);
  void *smaller = take(5 * MiB);
  EXPECT_EQ(smaller, memory);
  EXPECT_GE(usable_bytes(info_of(smaller)), 5 * MiB);
}

TEST_F(HugeCacheTest, PicksTheMappingThatFitsBest) {
  std::vector<void *> kept;
  for (size_t mebibytes : {9U, 8U, 10U}) kept.push_back(take(mebibytes * MiB));
  for (void *memory : kept) free(memory);
  EXPECT_EQ(take(8 * MiB), kept[1]);
  EXPECT_EQ(take(8 * MiB), kept[0]);
}

TEST_F(HugeCacheTest, LengthensAMappingForABlockOfUpToTwiceItsSize) {
  auto *memory = static_cast<char *>(take(5 * MiB));
  memory[0] = memory[5 * MiB - 1] = 1;
  free(memory);
  take(11 * MiB);
  EXPECT_TRUE(clean);
  EXPECT_GT(retention.resident(), resident_before) << "the shorter one is still kept";
  auto *longer = static_cast<char *>(take(9 * MiB));
  EXPECT_FALSE(clean);
  EXPECT_EQ(longer[0], 1);
  EXPECT_EQ(longer[5 * MiB - 1], 1);
  longer[9 * MiB - 1] = 1;
  EXPECT_EQ(retention.resident(), resident_before);
}

TEST_F(HugeCacheTest, ServesNoAlignedBlocks) {
  void *memory = take(5 * MiB);
  free(memory);
  EXPECT_NE(take(5 * MiB, 64 * KiB), memory);
  EXPECT_TRUE(clean);
}

TEST_F(HugeCacheTest, KeepsNoMoreThanIsAllowed) {
  std::vector<void *> memory;
  for (int i = 0; i < 12; ++i) memory.push_back(take(10 * MiB));
  for (void *block : memory) free(block);
  EXPECT_LE(retention.resident(), retention.limit());
  size_t kept = 0;
  for (void *block : memory) kept += test::is_mapped(block);
  EXPECT_GE(kept, 4U);
  EXPECT_LT(kept, 12U);
  EXPECT_TRUE(test::is_mapped(memory.back())) << "the latest is kept; the oldest gives way";
  EXPECT_FALSE(test::is_mapped(memory.front()));
}

TEST_F(HugeCacheTest, DoesNotKeepWhatIsTooMuchByItself) {
  void *memory = take(GiB);
  void *small = take(5 * MiB);
  free(small);
  free(memory);
  EXPECT_FALSE(test::is_mapped(memory));
  EXPECT_TRUE(test::is_mapped(small)) << "nor does the others' room go for it";
}

TEST_F(HugeCacheTest, KeepsABoundedNumberOfMappings) {
  retain.set(4096);
  std::vector<void *> memory;
  for (int i = 0; i < 200; ++i) memory.push_back(take(kLargeMax + 1));
  for (void *block : memory) free(block);
  size_t kept = 0;
  for (void *block : memory) kept += test::is_mapped(block);
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, 100U);
}

TEST_F(HugeCacheTest, KeepsNoLengthOfAnArrayThatGrows) {
  HugeCache cache; // that of the process was asked for such lengths by other tests
  retain.set(1);
  take(400 * MiB); // a quarter of which may be kept
  void *array = take(20 * MiB);
  for (size_t mebibytes : {40U, 80U, 160U}) {
    EXPECT_EQ(cache.take(mebibytes * MiB), nullptr);
    void *longer = take(mebibytes * MiB);
    EXPECT_FALSE(cache.keep(info_of(array))) << mebibytes;
    array = longer;
  }
}

TEST_F(HugeCacheTest, KeepsALengthThatIsAskedForAfterOneWasFreed) {
  retain.set(1);
  take(400 * MiB);
  free(take(20 * MiB));
  void *again = take(25 * MiB); // what was kept would have been made longer
  free(again);
  EXPECT_TRUE(test::is_mapped(again));
  EXPECT_EQ(take(20 * MiB), again);
}

TEST_F(HugeCacheTest, HasNothingOfTheLongestLength) {
  EXPECT_EQ(huge_cache.take(kRequestMax), nullptr);
  EXPECT_EQ(huge_cache.take_shorter(kRequestMax), nullptr);
}

TEST_F(HugeCacheTest, GivesBackWhatHasWaitedForItsTime) {
  void *memory = take(5 * MiB);
  const uint64_t before = os::coarse_milliseconds();
  free(memory);
  huge_cache.give_back(before - 1);
  EXPECT_TRUE(test::is_mapped(memory));
  huge_cache.give_back(os::coarse_milliseconds());
  EXPECT_FALSE(test::is_mapped(memory));
}

} // namespace
} // namespace abut::heap
