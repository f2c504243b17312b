// fork: the heap has seen to it since its first request.
#include "heap/gauge.hpp"
#include "heap/heap.hpp"

#include "heap/huge_cache.hpp"
#include "heap/page_store.hpp"
#include "heap/statistics.hpp"
#include "helpers/heap_calls.hpp"
#include "support/child.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

using support::require;

// Allocates, fills, checks and frees blocks of every tier.
void use_the_heap(uint64_t seed) {
  support::Random random(seed);
  struct Held {
    void *memory;
    size_t bytes;
  };
  std::vector<Held> held;
  for (int i = 0; i < 2000; ++i) {
    const size_t bytes = random.size_up_to(random.below(50) == 0 ? 3 * MiB : kMediumMax);
    held.push_back({allocate(bytes), bytes});
    require(held.back().memory != nullptr, "the child gets memory");
    support::fill(held.back().memory, bytes, bytes);
    if (held.size() < 40) continue;
    std::swap(held[random.below(held.size())], held.back());
    require(support::holds(held.back().memory, held.back().bytes, held.back().bytes),
            "a block is intact");
    free(held.back().memory);
    held.pop_back();
  }
  for (const Held &block : held) free(block.memory);
}

TEST(HeapFork, HeapsOfThreadsThatAreNotInTheChildAreOrphansThere) {
  free(allocate(16));
  std::atomic<int> state{0};
  std::vector<void *> blocks;
  LocalHeap *other = nullptr;
  std::thread thread([&] {
    for (int i = 0; i < 2000; ++i) blocks.push_back(allocate(64));
    other = current;
    state = 1;
    while (state == 1) std::this_thread::yield();
    for (void *block : blocks) free(block);
  });
  while (state != 1) std::this_thread::yield();
  const support::Outcome outcome = support::in_child([&] {
    require(other->orphan.load(), "its thread is not in the child");
    require(!current->orphan.load(), "this thread is");
    const size_t taken = pages_taken.value();
    for (void *block : blocks) free(block);
    require(pages_taken.value() < taken, "what is freed into an orphan goes back");
    use_the_heap(2);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_FALSE(other->orphan.load()) << "in the parent nothing has changed";
  state = 2;
  thread.join();
}

TEST(HeapFork, FindsNothingHalfDoneWhileOtherThreadsWork) {
  free(allocate(16));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 2; ++seed)
    threads.emplace_back([&, seed] {
      while (!stop) use_the_heap(seed);
    });
  for (int i = 0; i < 8; ++i) {
    const support::Outcome outcome = support::in_child([] {
      use_the_heap(3);
      trim();
      require(count().heaps > 0, "the statistics can be counted");
    });
    EXPECT_TRUE(outcome.succeeded()) << "fork " << i << ": " << outcome.text();
  }
  stop = true;
  for (std::thread &thread : threads) thread.join();
}

// What another thread is changing at that moment would stay half changed in the child.
TEST(HeapFork, NoOtherThreadHasALockMeanwhile) {
  free(allocate(16)); // so that there is a heap
  const std::vector<os::SpinLock *> locks{&birth_pages.lock(), &size_pages.lock(),
                                          &huge_cache.lock(), &segment_map.lock(),
                                          &current->lock()};
  const auto count_free = [&] {
    size_t count = 0;
    std::thread([&] {
      for (os::SpinLock *lock : locks) {
        if (!lock->try_lock()) continue;
        ++count;
        lock->unlock();
      }
    }).join();
    return count;
  };
  heap_registry.lock_all();
  const size_t meanwhile = count_free();
  heap_registry.unlock_all();
  EXPECT_EQ(meanwhile, 0U);
  EXPECT_EQ(count_free(), locks.size());
}

} // namespace
} // namespace abut::heap
