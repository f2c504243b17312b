// malloc_usable_size: at least what was asked for, and all of it the caller's to write.
#include "conformance/sizes.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <vector>

using support::opaque;

namespace {

TEST(UsableSize, IsZeroForNull) { EXPECT_EQ(malloc_usable_size(opaque<void *>(nullptr)), 0u); }

TEST(UsableSize, CoversTheRequest) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{64} << 20)) {
    void *block = std::malloc(size);
    EXPECT_GE(malloc_usable_size(block), size);
    std::free(block);
  }
}

TEST(UsableSize, IsWritableWholeWithoutTouchingANeighbour) {
  std::vector<void *> blocks;
  for (const std::size_t size : conformance::telling_sizes(std::size_t{1} << 20))
    for (int copy = 0; copy < 2; ++copy) {
      blocks.push_back(std::malloc(size));
      support::fill(blocks.back(), malloc_usable_size(blocks.back()), blocks.size());
    }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_TRUE(support::holds(blocks[i], malloc_usable_size(blocks[i]), i + 1));
    std::free(blocks[i]);
  }
}

TEST(UsableSize, StaysTheSameWhileTheBlockLives) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{1} << 20)) {
    void *block = std::malloc(size);
    const std::size_t before = malloc_usable_size(block);
    support::fill(block, before, size);
    EXPECT_EQ(malloc_usable_size(opaque(block)), before) << size;
    std::free(block);
  }
}

// Programs that ask for it use all of it, and then let the block grow.
TEST(UsableSize, IsKeptWholeByRealloc) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{4} << 20))
    for (const std::size_t more : {std::size_t{1}, size / 2 + 1, size * 3}) {
      void *block = std::malloc(size);
      const std::size_t usable = malloc_usable_size(block);
      support::fill(block, usable, size);
      block = std::realloc(block, usable + more);
      ASSERT_NE(block, nullptr);
      ASSERT_TRUE(support::holds(block, usable, size)) << size << " " << more;
      ASSERT_GE(malloc_usable_size(block), usable + more);
      std::free(block);
    }
}

TEST(UsableSize, MayBeAskedForByReallocAndStaysTheCallers) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{1} << 20)) {
    void *block = std::malloc(size);
    const std::size_t usable = malloc_usable_size(block);
    support::fill(block, usable, size);
    block = std::realloc(block, usable); // what it has already
    ASSERT_TRUE(support::holds(block, usable, size)) << size;
    ASSERT_GE(malloc_usable_size(block), usable) << size;
    std::free(block);
  }
}

TEST(UsableSize, CoversBlocksOfEveryKindOfCall) {
  for (const std::size_t size : {0u, 1u, 77u, 4000u, 100'000u, 9'000'000u}) {
    void *blocks[] = {std::calloc(1, size),
                      aligned_alloc(256, size),
                      valloc(size),
                      pvalloc(size),
                      std::realloc(std::malloc(3), size + 1),
                      ::operator new(size)};
    for (void *block : blocks) {
      ASSERT_NE(block, nullptr);
      EXPECT_GE(malloc_usable_size(block), size);
      support::fill(block, malloc_usable_size(block), size);
      std::free(block);
    }
  }
}

} // namespace
