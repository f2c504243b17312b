// Rows that a thread keeps for itself, and what becomes of them where threads sleep, end, or are many.
#include "heap/free_rows.hpp"

#include "heap/gauge.hpp"
#include "heap/heap.hpp"
#include "heap/page_store.hpp"
#include "heap/statistics.hpp"

#include "helpers/heap_calls.hpp"
#include "helpers/option_setting.hpp"
#include "helpers/residency.hpp"
#include "helpers/thread.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <gtest/gtest.h>
#include <initializer_list>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

using test::in_thread;

constexpr size_t kOwn = kBlockPageBytes / kPageBytes; // 4 KiB in a page

class FreeRowsTest : public testing::Test {
protected:
  // So that there is a heap: all have an equal share.
  void SetUp() override {
    free(allocate(16));
    taken_before = pages_taken.value();
  }
  ~FreeRowsTest() override {
    rows.give_back(~uint64_t{0});
    EXPECT_EQ(pages_taken.value(), taken_before);
  }

  Page *keep(unsigned pages, size_t written = 0, uint64_t now = 1) {
    Page *first = size_pages.take(nullptr, {pages}).page;
    first->written = static_cast<uint32_t>(written);
    rows.keep(first, pages, now);
    return first;
  }
  // Has one of each length freed, and asked for again.
  void want(std::initializer_list<unsigned> lengths) {
    for (const unsigned pages : lengths) {
      keep(pages);
      EXPECT_EQ(rows.take(pages), nullptr);
    }
  }
  // Of those that are kept.
  size_t pages() const { return (pages_taken.value() - taken_before) / kOwn; }
  void give_back(Page *first, unsigned pages) {
    ASSERT_NE(first, nullptr);
    size_pages.give_back(first, pages, 0);
  }

  const test::OptionSetting retain{Option::retain_mb, 4096}; // for any number of threads
  size_t taken_before = 0;
  FreeRows rows;
};

TEST_F(FreeRowsTest, AreOfLengthsThatWereAskedForAfterOneWasFreed) {
  EXPECT_EQ(rows.take(2), nullptr);
  keep(2);
  EXPECT_EQ(pages(), 0U) << "the first may have been the last";
  EXPECT_EQ(rows.take(2), nullptr);
  keep(3);
  EXPECT_EQ(pages(), 0U);
  keep(2);
  EXPECT_EQ(pages(), 2U);
  rows.give_back(~uint64_t{0});
  keep(2);
  EXPECT_EQ(pages(), 0U) << "that was too long ago";
}

TEST_F(FreeRowsTest, ServeTheirOwnLengthAlone) {
  want({2, 3});
  Page *two = keep(2);
  Page *three = keep(3);
  EXPECT_EQ(rows.take(1), nullptr);
  EXPECT_EQ(rows.take(4), nullptr);
  EXPECT_EQ(rows.take(2), two);
  EXPECT_EQ(rows.take(2), nullptr) << "it was taken";
  EXPECT_EQ(rows.take(3), three);
  give_back(two, 2);
  give_back(three, 3);
}

TEST_F(FreeRowsTest, TheOneThatWasFreedLastComesFirst) {
  want({1, 2});
  Page *first = keep(1);
  keep(2);
  Page *last = keep(1);
  EXPECT_EQ(rows.take(1), last);
  EXPECT_EQ(rows.take(1), first);
  give_back(first, 1);
  give_back(last, 1);
}

TEST_F(FreeRowsTest, MakeRoomForOthersBeginningWithTheFirst) {
  want({1});
  Page *first = keep(1);
  for (int i = 0; i < 8; ++i) keep(1);
  EXPECT_EQ(pages(), 8U);
  for (int i = 0; i < 8; ++i) {
    Page *row = rows.take(1);
    EXPECT_NE(row, first) << "it went back";
    give_back(row, 1);
  }
}

TEST_F(FreeRowsTest, AreNoMoreThanAMebibyte) {
  want({2, 5, 10, 16});
  keep(10);
  keep(5);
  EXPECT_EQ(pages(), 15U);
  keep(2);
  EXPECT_EQ(pages(), 7U) << "the first went back";
  keep(16);
  EXPECT_EQ(pages(), 16U);
  keep(17);
  EXPECT_EQ(pages(), 16U) << "what is longer goes back at once";
}

TEST_F(FreeRowsTest, GoBackWhenTheirTimeHasCome) {
  want({1, 2});
  keep(1, 0, 100);
  keep(2, 0, 200);
  rows.give_back(199);
  EXPECT_EQ(pages(), 3U);
  rows.give_back(200);
  EXPECT_EQ(pages(), 0U);
}

TEST_F(FreeRowsTest, CountWhatWasWrittenTo) {
  want({1, 2});
  EXPECT_EQ(rows.resident(), 0U);
  keep(1, 1);
  keep(2, kBlockPageBytes + 1);
  EXPECT_EQ(rows.resident(), kBlockPageBytes + 2 * kPageBytes);
  const size_t resident = retention.resident();
  rows.give_back(1);
  EXPECT_GE(retention.resident() - resident, kOwn + 2) << "more where pages were resident before";
}

// Frees a block of each length twice, so that the second is kept.
void free_some() {
  for (const size_t bytes : {40 * KiB, 100 * KiB, 160 * KiB, 300 * KiB})
    for (int i = 0; i < 2; ++i) {
      void *block = allocate(bytes);
      test::touch(block, bytes);
      free(block);
    }
}

class FreeRowsThreads : public testing::Test {
protected:
  void SetUp() override {
    free(allocate(16)); // so that this thread has a heap
    trim();
    taken_before = pages_taken.value();
  }
  size_t taken() const { return pages_taken.value() - taken_before; }

  size_t taken_before = 0;
};

TEST_F(FreeRowsThreads, AreTheThreadsOwn) {
  const test::OptionSetting retain(Option::retain_mb, 4096); // for any number of threads
  in_thread([] {
    free_some();
    void *block = allocate(100 * KiB);
    free(block);
    in_thread([=] {
      void *other = allocate(100 * KiB);
      EXPECT_NE(other, block);
      free(other);
    });
    void *again = allocate(100 * KiB);
    EXPECT_EQ(again, block);
    free(again);
  });
}

TEST_F(FreeRowsThreads, GoBackWhenItEnds) {
  in_thread(free_some);
  EXPECT_EQ(taken(), 0U);
}

TEST_F(FreeRowsThreads, GoBackWhileItSleeps) {
  const test::OptionSetting retain(Option::retain_mb, 4096);
  const test::OptionSetting decay(Option::decay_ms, 10);
  std::barrier slept(2), seen(2);
  std::thread sleeper([&] {
    free_some();
    slept.arrive_and_wait();
    seen.arrive_and_wait();
  });
  slept.arrive_and_wait();
  EXPECT_GT(taken(), 0U);
  // Another thread's requests are enough.
  for (int i = 0; i < 100 && taken() != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    free(allocate(2 * MiB));
  }
  EXPECT_EQ(taken(), 0U);
  seen.arrive_and_wait();
  sleeper.join();
}

TEST_F(FreeRowsThreads, OfManyAreNoMoreTogetherThanMayStay) {
  constexpr int kThreads = 48;
  std::barrier freed(kThreads + 1), seen(kThreads + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      free(allocate(16));
      freed.arrive_and_wait(); // so that all are alive
      for (int round = 0; round < 3; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(8)); // until the share is looked at
        free_some();
      }
      freed.arrive_and_wait();
      seen.arrive_and_wait();
    });
  freed.arrive_and_wait();
  freed.arrive_and_wait();
  // What the store keeps may be as much.
  EXPECT_LE(count().free_resident, 2 * retention.limit() * kPageBytes);
  seen.arrive_and_wait();
  for (std::thread &thread : threads) thread.join();
}

} // namespace
} // namespace abut::heap
