// Hundreds of threads that are alive at once, over and over: what each costs is bounded, and nothing is added by a round.
#include "support/process_memory.hpp"

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

constexpr size_t kThreads = 400;
constexpr size_t kRounds = 12;
constexpr size_t kKept = 8 << 10; // bytes that each thread has at once, in blocks of many sizes

std::vector<void *> blocks_of_many_sizes() {
  std::vector<void *> blocks;
  for (size_t kept = 0; kept < kKept;) {
    const size_t bytes = 16 + blocks.size() * 37 % 500;
    blocks.push_back(std::memset(std::malloc(bytes), 1, bytes));
    kept += bytes;
  }
  return blocks;
}

// What is resident while all threads have their blocks.
size_t resident_in_round() {
  std::barrier gate(kThreads + 1);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&gate] {
      const std::vector<void *> blocks = blocks_of_many_sizes();
      gate.arrive_and_wait();
      gate.arrive_and_wait();
      for (void *block : blocks) std::free(block);
    });
  gate.arrive_and_wait();
  const size_t resident = support::resident_bytes();
  gate.arrive_and_wait();
  for (std::thread &thread : threads) thread.join();
  return resident;
}

TEST(ManyThreads, AliveAtOnceCostLittleAndNoMoreInLaterRounds) {
  const size_t before = support::resident_bytes();
  const size_t first = resident_in_round();
  // The kernel's and the C library's own share of a thread, stack and all, is about 16 KiB of it.
  EXPECT_LT((first - before) / kThreads, kKept + (56 << 10));
  size_t last = 0;
  for (size_t round = 1; round < kRounds; ++round) last = resident_in_round();
  EXPECT_LT(last, first + first / 4);
}

} // namespace
