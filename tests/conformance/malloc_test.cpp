// malloc and free: ISO C 7.22.3, and what glibc adds for a size of zero.
#include "conformance/sizes.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using support::opaque;

namespace {

TEST(Malloc, GivesADistinctBlockForSizeZero) {
  std::set<void *> blocks;
  for (int i = 0; i < 1000; ++i) {
    void *block = std::malloc(opaque(std::size_t{0}));
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(blocks.insert(block).second) << "two live blocks share " << block;
  }
  for (void *block : blocks) std::free(block);
}

TEST(Malloc, AlignsEachSizeForTheLargestTypeThatFits) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{64} << 20)) {
    void *block = std::malloc(size);
    ASSERT_NE(block, nullptr) << size;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % conformance::least_alignment(size), 0u)
        << size << " bytes at " << block;
    std::free(block);
  }
}

TEST(Malloc, AlignsManyLiveBlocksOfEachSmallSize) {
  for (std::size_t size = 1; size <= 600; ++size) {
    std::vector<void *> blocks;
    for (int i = 0; i < 300; ++i) {
      blocks.push_back(std::malloc(size));
      EXPECT_EQ(
          reinterpret_cast<std::uintptr_t>(blocks.back()) % conformance::least_alignment(size), 0u)
          << size << " bytes at " << blocks.back();
    }
    for (void *block : blocks) std::free(block);
  }
}

TEST(Malloc, KeepsLiveBlocksOfEverySizeApart) {
  struct Block {
    void *start;
    std::size_t size;
  };
  std::vector<Block> blocks;
  for (const std::size_t size : conformance::telling_sizes(std::size_t{2} << 20)) {
    blocks.push_back({std::malloc(size), size});
    ASSERT_NE(blocks.back().start, nullptr) << size;
    support::fill(blocks.back().start, size, size);
  }
  for (const Block &block : blocks)
    EXPECT_TRUE(support::holds(block.start, block.size, block.size)) << block.size;
  for (const Block &block : blocks) std::free(block.start);
}

TEST(Malloc, ServesAgainWhatWasFreed) {
  // 20 GB in all, never more than 1 MB at a time: an allocator that loses freed blocks cannot.
  for (int round = 0; round < 20'000; ++round) {
    void *block = std::malloc(opaque(std::size_t{1} << 20));
    ASSERT_NE(block, nullptr);
    *static_cast<volatile char *>(block) = 1;
    std::free(block);
  }
}

TEST(Free, AcceptsNull) {
  std::free(opaque<void *>(nullptr));
  SUCCEED();
}

} // namespace
