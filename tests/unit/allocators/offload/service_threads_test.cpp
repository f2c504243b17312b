// A heap served by a thread of its own: rings, threads that come and go, forks, and service in line.
#include "allocators/offload/service.hpp"

#include "allocators/offload/churn.hpp"

#include <atomic>
#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace abut::offload {
namespace {

TEST(Ring, HandsEverythingOverInOrder) {
  Ring<64> ring;
  constexpr uintptr_t kItems = 100'000;
  std::thread producer([&] {
    for (uintptr_t i = 1; i <= kItems; ++i)
      while (!ring.push(reinterpret_cast<void *>(i))) std::this_thread::yield();
  });
  for (uintptr_t i = 1; i <= kItems; ++i) {
    void *item = nullptr;
    while ((item = ring.pop()) == nullptr) std::this_thread::yield();
    ASSERT_EQ(reinterpret_cast<uintptr_t>(item), i);
  }
  producer.join();
  EXPECT_EQ(ring.pop(), nullptr);
  while (ring.push(&ring)) EXPECT_LE(ring.size(), 64U);
  EXPECT_EQ(ring.size(), 64U) << "full after its slots";
}

std::atomic<int> refused{0};

// One service for the process, as in the library; it is never stopped.
Service &started_service() {
  static const bool kStarted = [] {
    allocators::Instance heap;
    heap.open(*allocators::find_allocator("vam", 3), layers::Grain::sixteen);
    service.open(heap, layers::Grain::sixteen, [](void *, layers::Release) { ++refused; });
    return service.start();
  }();
  EXPECT_TRUE(kStarted);
  return service;
}

bool works_on(Service &served) {
  const uint64_t before = served.rounds();
  return comes_true([&] { return churn(served, 8, 500), served.rounds() > before; });
}

// A thread that looked for work all the time would use all of that while, or all that the machine has for it.
TEST(Service, SleepsWhenNothingIsAsked) {
  Service &served = started_service();
  churn(served, 7, 5000);
  EXPECT_TRUE(comes_true([] {
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return std::clock() - before < CLOCKS_PER_SEC / 500;
  }));
  EXPECT_TRUE(works_on(served)) << "it wakes";
}

// What a thread has in its rings goes back when it ends: the heap is as it was before.
TEST(Service, ServesManyThreadsAndLosesNothingWhenTheyEnd) {
  Service &served = started_service();
  expect_nothing_left(served);
  EXPECT_EQ(refused.load(), 0);
  const size_t before = served.counts().live_blocks();
  std::vector<void *> blocks;
  std::thread([&] {
    for (int i = 0; i < 5000; ++i) blocks.push_back(served.allocate(48, 16));
  }).join();
  std::thread([&] {
    for (void *block : blocks) served.release(block);
  }).join();
  EXPECT_EQ(served.counts().live_blocks(), before) << "nor what another thread frees";
}

TEST(Service, SaysWhenWhatIsFreedIsNoBlock) {
  Service &served = started_service();
  auto *block = static_cast<char *>(served.allocate(64, 16));
  std::thread([&] { served.release(block + 8); }).join();
  EXPECT_EQ(refused.exchange(0), 1);
  served.release(block);
}

#if !defined(__SANITIZE_THREAD__) // that tool wants no work in children of threads
// The child has no service thread and goes on in line.
TEST(Service, GoesOnInAChildOfAFork) {
  Service &served = started_service();
  churn(served, 3, 2000);
  served.before_fork();
  const pid_t child = fork();
  served.after_fork(child == 0);
  if (child == 0) {
    if (served.is_running()) _exit(2);
    churn(served, 4, 20'000);
    std::thread([&served] { churn(served, 5, 2000); }).join();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(served.is_running());
  churn(served, 6, 2000);
}
#endif

} // namespace
} // namespace abut::offload
