// Which heap a thread has, and what becomes of it when the thread ends.
#include "heap/gauge.hpp"
#include "heap/heap.hpp"

#include "helpers/heap_calls.hpp"
#include "helpers/thread.hpp"
#include "support/pattern.hpp"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

using test::in_thread;

size_t heaps() {
  size_t count = 0;
  heap_registry.each([&](LocalHeap &) { ++count; });
  return count;
}

size_t orphans() {
  size_t count = 0;
  heap_registry.each([&](LocalHeap &heap) { count += heap.orphan.load(); });
  return count;
}

TEST(HeapRegistry, LimitsOfSitesAreThoseOfAllHeapsAndOfNewOnes) {
  static constinit SiteLimits limits;
  limits.sizes[0x34] = kPlainSizes;
  const auto is_plain = [](const LocalHeap &heap, size_t bytes, Address site) {
    return is_plain_request_at(heap, bytes, [site] { return site; });
  };
  free(allocate(16)); // so that this thread has a heap
  EXPECT_FALSE(is_plain(*current, 16, 0x1234));
  heap_registry.set_site_limits(limits);
  EXPECT_TRUE(is_plain(*current, kPlainMost, 0x1234));
  EXPECT_FALSE(is_plain(*current, kPlainMost + 1, 0x1234));
  EXPECT_FALSE(is_plain(*current, 16, 0x1235));
  std::vector<LocalHeap *> others;
  for (const size_t before = heaps(); heaps() == before;) others.push_back(heap_registry.acquire());
  for (const LocalHeap *heap : others) EXPECT_TRUE(is_plain(*heap, 16, 0x1234));
  heap_registry.set_site_limits(kNoSiteIsPlain);
  EXPECT_FALSE(is_plain(*current, 16, 0x1234));
  for (LocalHeap *heap : others) {
    EXPECT_FALSE(is_plain(*heap, 16, 0x1234));
    heap_registry.release(heap);
  }
}

TEST(HeapRegistry, AThreadHasNoHeapUntilItAsksForABlock) {
  in_thread([] {
    EXPECT_EQ(current, &no_heap_yet);
    void *block = allocate(16);
    EXPECT_NE(current, &no_heap_yet);
    EXPECT_FALSE(current->orphan.load());
    free(block);
  });
}

TEST(HeapRegistry, AThreadCanFreeBeforeItEverAllocated) {
  for (size_t bytes : {size_t{8}, size_t{64}, size_t{2000}, MiB, 4 * MiB}) {
    void *block = allocate(bytes);
    in_thread([=] {
      free(block);
      EXPECT_EQ(current, &no_heap_yet) << "freeing needs no heap";
    });
  }
}

TEST(HeapRegistry, AnEndedThreadsHeapServesTheNext) {
  LocalHeap *first = nullptr;
  LocalHeap *second = nullptr;
  in_thread([&] {
    free(allocate(16));
    first = current;
  });
  EXPECT_TRUE(first->orphan.load());
  in_thread([&] {
    free(allocate(16));
    second = current;
    EXPECT_FALSE(second->orphan.load());
  });
  EXPECT_EQ(first, second);
}

// What it used last may still be in the caches; and a size that has a page with room needs no place in birth order.
TEST(HeapRegistry, TheNextThreadAllocatesWhereAnEndedOneStopped) {
  constexpr size_t kBytes = 400, kInPage = kBlockPageBytes / kBytes;
  std::vector<void *> blocks;
  std::set<const Page *> pages;
  const Page *last = nullptr;
  in_thread([&] {
    for (size_t i = 0; i < 8 * kInPage; ++i) blocks.push_back(allocate(kBytes));
    for (size_t i = 1; i < blocks.size(); i += 2) free(blocks[i]); // every page has room
    last = live_block(allocate(kBytes)).page;
  });
  in_thread([&] {
    for (size_t i = 0; i < kInPage / 2; ++i) pages.insert(live_block(allocate(kBytes)).page);
  });
  EXPECT_EQ(pages, std::set{last});
}

TEST(HeapRegistry, ThereAreNoMoreHeapsThanThreadsAtOneTime) {
  const auto churn = [] {
    for (int i = 0; i < 50; ++i)
      in_thread([] {
        std::thread other([] { free(allocate(3000)); });
        free(allocate(64));
        other.join();
      });
  };
  churn();
  const size_t before = heaps();
  churn();
  EXPECT_EQ(heaps(), before);
}

TEST(HeapRegistry, ThreadsAtTheSameTimeHaveHeapsOfTheirOwn) {
  constexpr int kThreads = 8;
  std::atomic<int> arrived{0};
  std::vector<LocalHeap *> owned(kThreads);
  std::vector<std::thread> threads;
  for (LocalHeap *&mine : owned)
    threads.emplace_back([&] {
      void *block = allocate(16);
      mine = current;
      ++arrived;
      while (arrived < kThreads) std::this_thread::yield();
      free(block);
    });
  for (std::thread &thread : threads) thread.join();
  std::set<uint32_t> numbers;
  for (LocalHeap *heap : owned) numbers.insert(heap->number());
  EXPECT_EQ(numbers.size(), static_cast<size_t>(kThreads));
}

TEST(HeapRegistry, BlocksOutliveTheirThread) {
  std::vector<void *> blocks;
  const auto size_of = [](size_t i) { return i * 37 % 3000 + 1; };
  in_thread([&] {
    for (size_t i = 0; i < 2000; ++i) {
      blocks.push_back(allocate(size_of(i)));
      support::fill(blocks.back(), size_of(i), i);
    }
  });
  in_thread([&] { // takes the heap over, and must not take the blocks
    for (int i = 0; i < 2000; ++i) std::memset(allocate(100), 0xff, 100);
  });
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_TRUE(support::holds(blocks[i], size_of(i), i)) << i;
    free(blocks[i]);
  }
}

TEST(HeapRegistry, BlocksFreedIntoAnOrphanGoBack) {
  const size_t taken = pages_taken.value();
  std::vector<void *> blocks;
  in_thread([&] {
    for (int i = 0; i < 20000; ++i) blocks.push_back(allocate(64));
  });
  EXPECT_GE(pages_taken.value(), taken + 20000 * 64 / kPageBytes);
  const size_t orphaned = orphans();
  EXPECT_GE(orphaned, 1U);
  for (void *block : blocks) free(block);
  EXPECT_EQ(orphans(), orphaned);
  EXPECT_LE(pages_taken.value(), taken + 2 * kBlockPageBytes / kPageBytes)
      << "nobody need adopt the heap for that";
}

TEST(HeapRegistry, AThreadLeavesNothingBehind) {
  in_thread([] { free(allocate(64)); });
  const size_t taken = pages_taken.value();
  in_thread([] {
    std::vector<void *> blocks;
    for (size_t i = 0; i < 5000; ++i) blocks.push_back(allocate(i % 600 + 1));
    for (void *block : blocks) free(block);
  });
  EXPECT_EQ(pages_taken.value(), taken);
}

// Destructors of thread-local objects may come after the heap's own end-of-thread call.
TEST(HeapRegistry, AThreadThatIsEndingIsServedAllTheSame) {
  static pthread_key_t key;
  static std::atomic<int> served{0};
  const auto late = [](void *rounds) {
    void *block = allocate(200);
    support::fill(block, 200, 1);
    served += support::holds(block, 200, 1);
    free(block);
    free(allocate(3000));
    const auto left = reinterpret_cast<intptr_t>(rounds) - 1;
    if (left > 0) pthread_setspecific(key, reinterpret_cast<void *>(left)); // called again
  };
  ASSERT_EQ(pthread_key_create(&key, late), 0);
  const size_t before = heaps();
  in_thread([] {
    free(allocate(16));
    pthread_setspecific(key, reinterpret_cast<void *>(intptr_t{3}));
  });
  EXPECT_EQ(served, 3);
  EXPECT_LE(heaps(), before + 1);
  EXPECT_EQ(orphans(), heaps() - (current != &no_heap_yet)) << "what was borrowed was given back";
  pthread_key_delete(key);
}

} // namespace
} // namespace abut::heap
