// Statistics are counted while other threads work: their numbers may be a moment old, but nothing may race.
#include "heap/statistics.hpp"

#include "heap/heap.hpp"
#include "helpers/heap_calls.hpp"
#include "helpers/thread.hpp"
#include "support/random.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

// Allocates and frees blocks of one tier in another thread while this one counts.
void count_while_busy(size_t least, size_t most) {
  const size_t live = count().live_bytes();
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    support::Random random(1);
    std::vector<void *> held;
    while (!stop) {
      held.push_back(allocate(least + random.below(most - least + 1)));
      if (held.size() > 50) {
        std::swap(held[random.below(held.size())], held.back());
        free(held.back());
        held.pop_back();
      }
    }
    for (void *block : held) free(block);
  });
  for (int i = 0; i < 200; ++i) {
    const Statistics now = count();
    EXPECT_LE(now.live_bytes(), live + 60 * (most + 2 * kPageBytes))
        << "counted more than there ever was";
  }
  stop = true;
  worker.join();
  EXPECT_EQ(count().live_bytes(), live);
}

TEST(StatisticsThreads, SmallBlocksMayComeAndGoMeanwhile) { count_while_busy(1, kSmallMax); }
TEST(StatisticsThreads, MediumBlocksMayComeAndGoMeanwhile) { count_while_busy(513, kMediumMax); }
TEST(StatisticsThreads, LargeBlocksMayComeAndGoMeanwhile) {
  count_while_busy(kMediumMax + 1, 300000);
}
TEST(StatisticsThreads, HugeBlocksMayComeAndGoMeanwhile) {
  count_while_busy(kLargeMax + 1, 2 * kLargeMax);
}

TEST(StatisticsThreads, BlocksOfOtherThreadsAreCounted) {
  const Statistics before = count();
  std::vector<void *> blocks;
  test::in_thread([&] {
    for (int i = 0; i < 100; ++i) blocks.push_back(allocate(48));
  });
  EXPECT_EQ(count().classes[3].blocks - before.classes[3].blocks, 100U);
  for (void *block : blocks) free(block);
  EXPECT_EQ(count().classes[3].blocks, before.classes[3].blocks);
}

TEST(StatisticsThreads, HeapsWithoutAThreadAreCountedAsOrphans) {
  free(allocate(16));
  test::in_thread([] { free(allocate(16)); });
  const Statistics now = count();
  EXPECT_GE(now.heaps, 2U);
  EXPECT_EQ(now.orphans, now.heaps - 1) << "all but this thread's";
}

} // namespace
} // namespace abut::heap
