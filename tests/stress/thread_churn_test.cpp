// Thousands of short threads: their blocks outlive them, and what they leave behind is used again.
#include "stress/block.hpp"
#include "support/process_memory.hpp"
#include "support/random.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using stress::Block;

namespace {

TEST(ThreadChurn, BlocksOfDeadThreadsAreFreedByLaterOnes) {
  std::vector<Block> inherited;
  int damaged = 0;
  for (std::uint64_t generation = 0; generation < 5000; ++generation)
    std::thread([&, generation] {
      for (Block &block : inherited) {
        damaged += block.intact() ? 0 : 1;
        block.release();
      }
      inherited.clear();
      support::Random random(generation);
      for (int i = 0; i < 50; ++i)
        inherited.push_back(Block::make(random.size_up_to(3000), random.next()));
    }).join();
  for (Block &block : inherited) block.release();
  EXPECT_EQ(damaged, 0);
}

TEST(ThreadChurn, BlocksOfManyDeadThreadsAreFreedAtLast) {
  std::vector<Block> blocks(5000 * 20);
  for (std::size_t first = 0; first < blocks.size(); first += 20)
    std::thread([&blocks, first] {
      for (std::size_t i = first; i < first + 20; ++i)
        blocks[i] = Block::make(i * 31 % 2000 + 1, i);
    }).join();
  int damaged = 0;
  for (Block &block : blocks) {
    damaged += block.intact() ? 0 : 1;
    block.release();
  }
  EXPECT_EQ(damaged, 0);
}

TEST(ThreadChurn, DoesNotGrowTheHeap) {
  const auto live_briefly = [] {
    std::array<void *, 200> blocks{};
    for (std::size_t i = 0; i < blocks.size(); ++i)
      std::memset(blocks[i] = std::malloc(i * 20 + 1), 1, i * 20 + 1);
    for (void *block : blocks) std::free(block);
  };
  for (int i = 0; i < 500; ++i) std::thread(live_briefly).join();
  const std::size_t settled = support::resident_bytes();
  const std::size_t settled_space = support::mapped_bytes();
  for (int i = 0; i < 10'000; ++i) std::thread(live_briefly).join();
  EXPECT_LT(support::resident_bytes(), settled + (std::size_t{4} << 20));
  EXPECT_LT(support::mapped_bytes(), settled_space + (std::size_t{256} << 20));
}

TEST(ThreadChurn, OfManyAtATimeLeavesOthersBlocksAlone) {
  int damaged = 0;
  std::vector<Block> kept;
  for (std::uint64_t wave = 0; wave < 60; ++wave) {
    std::array<std::vector<Block>, 32> made;
    std::vector<std::thread> threads;
    for (std::vector<Block> &blocks : made)
      threads.emplace_back([&blocks, wave] {
        support::Random random(wave);
        for (int i = 0; i < 100; ++i) {
          Block passing = Block::make(random.size_up_to(10'000), 1);
          blocks.push_back(Block::make(random.size_up_to(2000), random.next()));
          passing.release();
        }
      });
    for (std::thread &thread : threads) thread.join();
    for (std::vector<Block> &blocks : made) kept.insert(kept.end(), blocks.begin(), blocks.end());
    for (std::size_t i = wave % 2; i < kept.size(); i += 2) {
      damaged += kept[i].intact() ? 0 : 1;
      kept[i].release();
    }
    std::erase_if(kept, [](const Block &block) { return block.start == nullptr; });
  }
  for (Block &block : kept) {
    damaged += block.intact() ? 0 : 1;
    block.release();
  }
  EXPECT_EQ(damaged, 0);
}

} // namespace
