// realloc and reallocarray: contents kept, zero and null as glibc treats them, the old block kept
// on failure.
#include "conformance/sizes.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <vector>

using support::opaque;

namespace {

TEST(Realloc, ActsAsMallocOnNull) {
  for (const std::size_t size : {0u, 1u, 100u, 5000u, 1'000'000u}) {
    void *block = std::realloc(opaque<void *>(nullptr), opaque<std::size_t>(size));
    ASSERT_NE(block, nullptr) << size;
    support::fill(block, size, size);
    EXPECT_TRUE(support::holds(block, size, size));
    std::free(block);
  }
}

TEST(Realloc, FreesAndReturnsNullForSizeZero) {
  for (const std::size_t size : {0u, 1u, 100u, 5000u, 300'000u, 40'000'000u}) {
    void *block = std::malloc(opaque<std::size_t>(size));
    ASSERT_NE(block, nullptr);
    errno = EDOM;
    EXPECT_EQ(std::realloc(block, opaque(std::size_t{0})), nullptr) << size;
    EXPECT_EQ(errno, EDOM) << "a free is no failure";
  }
}

TEST(Realloc, TrulyFreesForSizeZero) {
  // 40 GB in all: only a real free lets this end.
  for (int round = 0; round < 400; ++round) {
    void *block = std::malloc(opaque(std::size_t{100} << 20));
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(std::realloc(block, opaque(std::size_t{0})), nullptr);
  }
  for (int round = 0; round < 4'000'000; ++round)
    ASSERT_EQ(std::realloc(std::malloc(opaque(std::size_t{10'000})), opaque(std::size_t{0})),
              nullptr);
}

TEST(Realloc, KeepsContentsWhenGrowingByteByByte) {
  void *block = nullptr;
  for (std::size_t size = 1; size <= 5000; ++size) {
    block = std::realloc(block, size);
    ASSERT_NE(block, nullptr);
    ASSERT_TRUE(support::holds(block, size - 1, 7)) << "growing to " << size;
    support::fill(block, size, 7);
  }
  std::free(block);
}

TEST(Realloc, KeepsContentsFromEachTellingSizeToTheNextAndBack) {
  const auto sizes = conformance::telling_sizes(std::size_t{4} << 20);
  void *block = std::malloc(1);
  support::fill(block, 1, 9);
  std::size_t before = 1;
  const auto resize_to = [&](std::size_t size) {
    block = std::realloc(block, size);
    ASSERT_NE(block, nullptr) << size;
    EXPECT_TRUE(support::holds(block, std::min(size, before), 9)) << before << " -> " << size;
    support::fill(block, size, 9);
    before = size;
  };
  for (const std::size_t size : sizes) resize_to(size);
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) resize_to(*size);
  std::free(block);
}

TEST(Realloc, KeepsContentsBetweenAnyTwoMagnitudes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= std::size_t{16} << 20; size *= 4)
    sizes.push_back(size + size / 3);
  for (const std::size_t from : sizes)
    for (const std::size_t to : sizes) {
      void *block = std::malloc(from);
      support::fill(block, from, from);
      block = std::realloc(block, to);
      ASSERT_NE(block, nullptr) << from << " -> " << to;
      EXPECT_TRUE(support::holds(block, std::min(from, to), from)) << from << " -> " << to;
      support::fill(block, to, to);
      EXPECT_TRUE(support::holds(block, to, to));
      std::free(block);
    }
}

TEST(Realloc, LeavesTheNeighboursAlone) {
  support::Random random(11);
  struct Block {
    void *start = nullptr;
    std::size_t size = 0;
  };
  std::vector<Block> blocks(500);
  for (int step = 0; step < 50'000; ++step) {
    const std::size_t key = random.below(blocks.size());
    Block &block = blocks[key];
    const std::size_t size = random.size_up_to(30'000);
    block.start = std::realloc(block.start, size);
    ASSERT_NE(block.start, nullptr);
    ASSERT_TRUE(support::holds(block.start, std::min(size, block.size), key)) << "step " << step;
    block.size = size;
    support::fill(block.start, size, key);
  }
  for (std::size_t key = 0; key < blocks.size(); ++key) {
    EXPECT_TRUE(support::holds(blocks[key].start, blocks[key].size, key));
    std::free(blocks[key].start);
  }
}

TEST(Realloc, TakesBlocksOfTheAlignedCalls) {
  for (std::size_t alignment = 16; alignment <= std::size_t{1} << 20; alignment *= 4)
    for (const std::size_t size : {1u, 100u, 5000u, 200'000u}) {
      void *block = memalign(alignment, size);
      ASSERT_NE(block, nullptr);
      support::fill(block, size, alignment);
      void *larger = std::realloc(block, size * 3);
      ASSERT_NE(larger, nullptr);
      EXPECT_TRUE(support::holds(larger, size, alignment)) << size << " aligned " << alignment;
      std::free(larger);
    }
}

TEST(Realloc, KeepsTheOldBlockWhenItFails) {
  for (const std::size_t size : {1u, 16u, 1000u, 50'000u, 3'000'000u}) {
    void *block = std::malloc(size);
    support::fill(block, size, size);
    errno = 0;
    EXPECT_EQ(std::realloc(block, opaque(SIZE_MAX - 4096)), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_TRUE(support::holds(opaque(block), size, size)) << size;
    std::free(opaque(block));
  }
}

TEST(Reallocarray, ResizesToTheProduct) {
  void *block = reallocarray(nullptr, opaque(std::size_t{10}), 100);
  ASSERT_NE(block, nullptr);
  support::fill(block, 1000, 3);
  block = reallocarray(block, opaque(std::size_t{50}), 1000);
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(support::holds(block, 1000, 3));
  support::fill(block, 50'000, 4);
  block = reallocarray(block, opaque(std::size_t{7}), 3);
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(support::holds(block, 21, 4));
  std::free(block);
}

TEST(Reallocarray, FreesForAProductOfZero) {
  EXPECT_EQ(reallocarray(std::malloc(50), opaque(std::size_t{0}), 8), nullptr);
  EXPECT_EQ(reallocarray(std::malloc(50), opaque(std::size_t{8}), 0), nullptr);
}

TEST(Reallocarray, RefusesAProductThatOverflowsAndKeepsTheBlock) {
  const std::size_t half = std::size_t{1} << 32;
  void *block = std::malloc(64);
  support::fill(block, 64, 5);
  for (const auto &[count, size] : {std::pair<std::size_t, std::size_t>{half, half},
                                    {half + 1, half},
                                    {SIZE_MAX, 2},
                                    {2, SIZE_MAX},
                                    {SIZE_MAX / 16 + 1, 16}}) {
    errno = 0;
    EXPECT_EQ(reallocarray(opaque(block), opaque(count), opaque(size)), nullptr);
    EXPECT_EQ(errno, ENOMEM) << count << " x " << size;
    EXPECT_TRUE(support::holds(opaque(block), 64, 5));
  }
  std::free(opaque(block));
}

} // namespace
