// Counts are compared with counts before, so that other tests in this process do not matter.
#include "heap/statistics.hpp"

#include "heap/heap.hpp"
#include "heap/huge_blocks.hpp"

#include "helpers/heap_calls.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace abut::heap {
namespace {

size_t class_of(size_t bytes) { return small_class(bytes); }

class StatisticsTest : public testing::Test {
protected:
  StatisticsTest() {
    free(allocate(16)); // so that this thread has a heap
    trim();
    before = count();
  }
  ~StatisticsTest() override {
    for (void *block : held) free(block);
  }

  void take(size_t how_many, size_t bytes) {
    for (size_t i = 0; i < how_many; ++i) held.push_back(allocate(bytes));
  }

  void free_all() {
    for (void *block : held) free(block);
    held.clear();
  }

  Statistics before;
  std::vector<void *> held;
};

TEST_F(StatisticsTest, SmallBlocksAreCountedInTheirClasses) {
  size_t expected[Statistics::kClasses] = {};
  for (size_t bytes = 1; class_of(bytes) < Statistics::kClasses; ++bytes) {
    take(bytes % 7 + 1, bytes);
    expected[class_of(bytes)] += bytes % 7 + 1;
  }
  const Statistics after = count();
  for (size_t i = 0; i < Statistics::kClasses; ++i) {
    EXPECT_EQ(after.classes[i].bytes_each, i == 0 ? kTinyMax : i * Granules::kBytes);
    EXPECT_EQ(after.classes[i].blocks - before.classes[i].blocks, expected[i]) << "class " << i;
  }
}

TEST_F(StatisticsTest, TinyBlocksAreCountedByThemselvesButForTheFirst) {
  take(1000, kTinyMax);
  const Statistics after = count();
  EXPECT_GE(after.classes[0].blocks - before.classes[0].blocks, 900U);
  EXPECT_EQ(after.classes[0].blocks + after.classes[1].blocks,
            before.classes[0].blocks + before.classes[1].blocks + 1000);
}

TEST_F(StatisticsTest, LiveBytesAreWhatWasGranted) {
  take(100, 9);
  take(100, 24);
  take(100, 512);
  EXPECT_EQ(count().live_bytes() - before.live_bytes(), 100 * (16 + 32 + 512));
  take(10, 1000);
  size_t granted = 0;
  for (size_t i = 300; i < 310; ++i) granted += usable_size("test", held[i]);
  EXPECT_EQ(count().live_bytes() - before.live_bytes(), 100 * (16 + 32 + 512) + granted);
}

TEST_F(StatisticsTest, FreedBlocksAreNoLongerLive) {
  for (size_t bytes :
       {size_t{8}, size_t{64}, size_t{500}, size_t{2000}, size_t{30000}, MiB, 4 * MiB})
    take(50, bytes);
  EXPECT_GT(count().live_bytes(), before.live_bytes() + 250 * MiB);
  free_all();
  const Statistics after = count();
  EXPECT_EQ(after.live_bytes(), before.live_bytes());
  for (size_t i = 0; i < Statistics::kClasses; ++i)
    EXPECT_EQ(after.classes[i].blocks, before.classes[i].blocks) << "class " << i;
}

TEST_F(StatisticsTest, MediumBlocksAreCounted) {
  take(20, 2000);
  take(3, kMediumMax);
  const Statistics after = count();
  size_t granted = 0;
  for (void *block : held) granted += usable_size("test", block);
  EXPECT_EQ(after.medium_blocks - before.medium_blocks, 23U);
  EXPECT_EQ(after.medium_bytes - before.medium_bytes, granted);
}

TEST_F(StatisticsTest, LargeAndHugeBlocksAreCountedAsRequested) {
  take(5, 100001);
  take(2, kLargeMax);
  take(3, kLargeMax + 1);
  const Statistics after = count();
  EXPECT_EQ(after.large_blocks - before.large_blocks, 7U);
  EXPECT_EQ(after.large_bytes - before.large_bytes, 5 * 100001 + 2 * kLargeMax);
  EXPECT_EQ(after.huge_blocks - before.huge_blocks, 3U);
  EXPECT_EQ(after.huge_bytes - before.huge_bytes, 3 * (kLargeMax + 1));
  EXPECT_GE(after.mapped - before.mapped, 5 * 100001 + 2 * kLargeMax + 3 * (kLargeMax + 1));
}

TEST_F(StatisticsTest, PagesInUseAreThoseWithABlock) {
  take(16 * kPageBytes / 64, 64);
  const size_t used = count().pages_in_use - before.pages_in_use;
  EXPECT_GE(used, 15U) << "one page may have been begun before";
  EXPECT_LE(used, 17U);
  take(1, 40 * kPageBytes);
  EXPECT_GE(count().pages_in_use - before.pages_in_use, used + 40);
  free_all();
  trim();
  EXPECT_LE(count().pages_in_use, before.pages_in_use);
}

TEST_F(StatisticsTest, FragmentationIsPagesInUseOverPagesOfLiveData) {
  constexpr size_t kPages = 4096; // beside which what other tests left is little
  constexpr size_t kInPage = kPageBytes / 512;
  take(kPages * kInPage, 512);
  EXPECT_NEAR(count().fragmentation(), 1.0, 0.05) << "full pages";
  std::vector<void *> kept;
  for (size_t i = 0; i < held.size(); ++i)
    if (i % kInPage == 0)
      kept.push_back(held[i]);
    else
      free(held[i]);
  held = kept;
  trim(); // what waits in bins is free, but keeps its pages in use
  EXPECT_NEAR(count().fragmentation(), static_cast<double>(kInPage), 0.5) << "one block a page";
}

TEST_F(StatisticsTest, FragmentationOfNothingIsOne) {
  Statistics nothing;
  EXPECT_EQ(nothing.live_bytes(), 0U);
  EXPECT_EQ(nothing.fragmentation(), 1.0);
}

TEST_F(StatisticsTest, ThePeakStays) {
  take(20, MiB);
  const size_t peak = count().peak;
  EXPECT_GE(peak, 20 * MiB);
  free_all();
  trim();
  EXPECT_EQ(count().peak, peak);
}

TEST_F(StatisticsTest, FreeResidentFallsToNothingWithTrim) {
  take(100, 100000);
  for (void *block : held) std::memset(block, 1, 100000);
  free_all();
  EXPECT_GT(count().free_resident, MiB / 2);
  trim();
  EXPECT_EQ(count().free_resident, 0U);
}

TEST_F(StatisticsTest, MetadataIsASmallPartOfALargeHeap) {
  take(100000, 500);
  const Statistics after = count();
  EXPECT_GT(after.metadata, before.metadata);
  EXPECT_LE(after.metadata - before.metadata, (after.mapped - before.mapped) / 16);
  EXPECT_GE(after.segments, before.segments + 10);
}

} // namespace
} // namespace abut::heap
