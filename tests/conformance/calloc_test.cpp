// calloc: zeroed memory, whatever it held before, and a product that does not overflow.
#include "conformance/sizes.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <vector>

using support::opaque;

namespace {

TEST(Calloc, GivesABlockForZeroElementsOrElementsOfSizeZero) {
  for (const auto &[count, size] : {std::pair<std::size_t, std::size_t>{0, 8}, {8, 0}, {0, 0}}) {
    void *block = std::calloc(opaque(count), opaque(size));
    EXPECT_NE(block, nullptr) << count << " x " << size;
    std::free(block);
  }
}

TEST(Calloc, ZeroesMemoryThatWasUsedBefore) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{32} << 20)) {
    void *used = std::malloc(size);
    ASSERT_NE(used, nullptr) << size;
    std::memset(opaque(used), 0xa5, size);
    std::free(opaque(used));
    void *block = std::calloc(1, size);
    ASSERT_NE(block, nullptr) << size;
    EXPECT_TRUE(support::all_zero(block, size)) << size;
    std::free(block);
  }
}

// To the end of what malloc_usable_size says: nothing of ISO C's, but the C library's calloc does so, and programs rely on it.
TEST(Calloc, ZeroesAllThatIsUsableOfSmallBlocks) {
  for (std::size_t size = 9; size <= 1000; size += size < 300 ? 1 : 7) {
    std::vector<void *> blocks(200);
    for (void *&block : blocks) {
      block = std::malloc(size);
      std::memset(block, 0xff, malloc_usable_size(opaque(block)));
    }
    for (void *block : blocks) std::free(opaque(block));
    for (void *&block : blocks) {
      block = std::calloc(1, opaque(size));
      ASSERT_TRUE(support::all_zero(block, malloc_usable_size(opaque(block)))) << size;
    }
    for (void *block : blocks) std::free(block);
  }
}

TEST(Calloc, ZeroesManyReusedBlocksOfOneSize) {
  for (const std::size_t size : {8u, 16u, 24u, 48u, 160u, 512u, 1000u, 3000u, 20'000u, 140'000u}) {
    std::vector<void *> blocks(200);
    for (void *&block : blocks) {
      block = std::malloc(size);
      std::memset(opaque(block), 0xff, size);
    }
    for (void *block : blocks) std::free(opaque(block));
    for (void *&block : blocks) {
      block = std::calloc(size / 8, 8);
      EXPECT_TRUE(support::all_zero(block, size / 8 * 8)) << size;
    }
    for (void *block : blocks) std::free(block);
  }
}

TEST(Calloc, RefusesAProductThatOverflows) {
  const std::size_t half = std::size_t{1} << 32;
  for (const auto &[count, size] : {std::pair<std::size_t, std::size_t>{half, half},
                                    {half + 1, half},
                                    {SIZE_MAX, 2},
                                    {2, SIZE_MAX},
                                    {SIZE_MAX / 16 + 1, 16},
                                    {SIZE_MAX, SIZE_MAX},
                                    {static_cast<std::size_t>(PTRDIFF_MAX) / 2 + 1, 2}}) {
    errno = 0;
    EXPECT_EQ(std::calloc(opaque(count), opaque(size)), nullptr) << count << " x " << size;
    EXPECT_EQ(errno, ENOMEM) << count << " x " << size;
  }
}

} // namespace
