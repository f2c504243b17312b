// Threads that end, and threads that are refused memory: what every call must do while others come
// and go.
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <thread>
#include <vector>

using support::opaque;

namespace {

TEST(ThreadExit, LeavesItsBlocksIntact) {
  struct Block {
    void *start = nullptr;
    std::size_t size = 0;
  };
  std::vector<Block> blocks(20'000);
  for (std::size_t first = 0; first < blocks.size(); first += 100)
    std::thread([&blocks, first] {
      for (std::size_t key = first; key < first + 100; ++key) {
        blocks[key] = {std::malloc(key % 777 + 1), key % 777 + 1};
        support::fill(blocks[key].start, blocks[key].size, key);
      }
    }).join();
  for (std::size_t key = 0; key < blocks.size(); ++key) {
    EXPECT_TRUE(support::holds(blocks[key].start, blocks[key].size, key)) << key;
    std::free(blocks[key].start);
  }
}

TEST(ThreadRefused, GetsNullWhileOthersAreServed) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      void *kept = std::malloc(10);
      while (!done) {
        const std::size_t size = opaque(static_cast<std::size_t>(PTRDIFF_MAX) + 1);
        errno = 0;
        wrong += std::malloc(size) == nullptr && errno == ENOMEM ? 0 : 1;
        wrong += std::calloc(size, 2) == nullptr ? 0 : 1;
        wrong += std::realloc(opaque(kept), size) == nullptr ? 0 : 1;
        wrong += memalign(64, size) == nullptr ? 0 : 1;
      }
      std::free(kept);
    });
  for (std::size_t round = 0; round < 300'000; ++round) {
    void *block = std::malloc(round % 3000);
    wrong += block != nullptr ? 0 : 1;
    std::free(block);
  }
  done = true;
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
