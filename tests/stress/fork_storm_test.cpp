// fork while other threads allocate as hard as they can: the child gets a working heap, again and
// again.
#include "stress/storm.hpp"
#include "support/child.hpp"
#include "support/process_memory.hpp"
#include "support/random.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using stress::Block;
using stress::Storm;
using support::require;

namespace {

void use_the_heap(std::uint64_t seed) {
  support::Random random(seed);
  std::vector<Block> blocks;
  for (int i = 0; i < 300; ++i)
    blocks.push_back(Block::make(random.size_up_to(100'000), random.next()));
  for (Block &block : blocks) {
    require(block.intact(), "a block is intact in the child");
    block.release();
  }
}

void require_good_end(pid_t child) {
  int status = -1;
  require(waitpid(child, &status, 0) == child && status == 0, "the child ends well");
}

void fork_and_run(const std::function<void()> &body) {
  const pid_t child = fork();
  require(child >= 0, "fork works");
  if (child == 0) {
    alarm(240);
    body();
    _exit(0);
  }
  require_good_end(child);
}

void expect_survived(const std::function<void()> &body) {
  const support::Outcome outcome = support::in_child(body);
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// Who forks has to come by each thread's lock, and that of large blocks is taken all the time.
TEST(ForkStorm, DoesNotWaitForThreadsThatAllocateLargeBlocks) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i)
    threads.emplace_back([&] {
      while (!stop)
        for (std::size_t bytes = 1 << 16; bytes <= 1 << 21; bytes *= 2) {
          void *volatile block = malloc(bytes);
          free(block);
        }
    });
  constexpr int kForks = 40;
  std::chrono::nanoseconds waited{0};
  for (int i = 0; i < kForks; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waited += std::chrono::steady_clock::now() - begin;
    require_good_end(child);
  }
  stop = true;
  for (std::thread &thread : threads) thread.join();
  EXPECT_LT(waited / kForks, std::chrono::milliseconds(10));
}

TEST(ForkStorm, TheChildAllocatesAndFrees) {
  expect_survived([] {
    const Storm storm(3);
    for (std::uint64_t i = 0; i < 100; ++i) fork_and_run([i] { use_the_heap(i); });
  });
}

TEST(ForkStorm, TheChildFreesBlocksOfThreadsItDoesNotHave) {
  expect_survived([] {
    std::vector<Block> foreign;
    std::thread([&foreign] {
      for (std::uint64_t i = 0; i < 5000; ++i) foreign.push_back(Block::make(i % 1000 + 1, i));
    }).join();
    const Storm storm(3);
    for (int i = 0; i < 50; ++i)
      fork_and_run([&foreign] {
        for (Block &block : foreign) {
          require(block.intact(), "another thread's block is intact in the child");
          block.release();
        }
        use_the_heap(1);
      });
    for (Block &block : foreign) block.release();
  });
}

TEST(ForkStorm, TheChildStartsThreadsOfItsOwn) {
  expect_survived([] {
    const Storm storm(2);
    for (std::uint64_t i = 0; i < 50; ++i)
      fork_and_run([i] {
        std::vector<std::thread> threads;
        for (std::uint64_t t = 0; t < 4; ++t)
          threads.emplace_back([i, t] { use_the_heap(i * 4 + t); });
        for (std::thread &thread : threads) thread.join();
      });
  });
}

TEST(ForkStorm, AnyThreadMayFork) {
  expect_survived([] {
    const Storm storm(1);
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 3; ++t)
      threads.emplace_back([t] {
        for (std::uint64_t i = 0; i < 30; ++i) fork_and_run([i, t] { use_the_heap(i * 3 + t); });
      });
    for (std::thread &thread : threads) thread.join();
  });
}

TEST(ForkStorm, TheChildTrimsAndAsksForStatistics) {
  expect_survived([] {
    const Storm storm(2);
    for (int i = 0; i < 50; ++i)
      fork_and_run([] {
        malloc_trim(0);
        require(mallinfo2().uordblks > 0, "the child's heap is not empty");
        use_the_heap(2);
      });
  });
}

void fork_chain(int depth, std::vector<Block> inherited) {
  for (Block &block : inherited) {
    require(block.intact(), "an inherited block is intact");
    block.release();
  }
  if (depth == 0) return;
  std::vector<Block> own;
  for (std::uint64_t i = 0; i < 200; ++i) own.push_back(Block::make(i * 40 + 1, i));
  fork_and_run([depth, &own] { fork_chain(depth - 1, own); });
  for (Block &block : own) {
    require(block.intact(), "a child's free is no business of its parent");
    block.release();
  }
}

TEST(ForkChain, OfForty) {
  expect_survived([] { fork_chain(40, {}); });
}

TEST(ForkChain, OfTwentyWithThreadsBlowingAtTheTop) {
  expect_survived([] {
    const Storm storm(2);
    fork_chain(20, {});
  });
}

TEST(ForkedChild, ReturnsMemoryThatItFrees) {
  expect_survived([] {
    std::vector<void *> blocks(500'000);
    for (void *&block : blocks) support::fill(block = std::malloc(200), 200, 1);
    fork_and_run([&blocks] {
      const std::size_t peak = support::resident_bytes();
      for (void *block : blocks) std::free(block);
      malloc_trim(0);
      require(support::resident_bytes() < peak / 2, "the child's RSS falls");
    });
    for (void *block : blocks) std::free(block);
  });
}

} // namespace
