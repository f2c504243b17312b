// free_sized and free_aligned_sized (C23 7.24.3.4-5). glibc 2.36 has neither, so they are looked up
// by name.
#include "conformance/sizes.hpp"
#include "support/allocator.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"

#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>

using support::opaque;

namespace {

using FreeSized = void(void *block, std::size_t size);
using FreeAlignedSized = void(void *block, std::size_t alignment, std::size_t size);

class SizedFree : public testing::Test {
protected:
  void SetUp() override {
    if (free_sized == nullptr || free_aligned_sized == nullptr) {
      ASSERT_FALSE(support::runs_under_abut()) << "the library must export both";
      GTEST_SKIP() << "this allocator has no free_sized";
    }
  }

  FreeSized *free_sized = support::find_function<FreeSized>("free_sized");
  FreeAlignedSized *free_aligned_sized =
      support::find_function<FreeAlignedSized>("free_aligned_sized");
};

TEST_F(SizedFree, TakesBlocksOfMallocCallocAndRealloc) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{8} << 20)) {
    free_sized(std::malloc(size), size);
    free_sized(std::calloc(1, size), size);
    free_sized(std::realloc(std::malloc(10), size), size);
  }
}

TEST_F(SizedFree, TakesBlocksOfAlignedAlloc) {
  for (std::size_t alignment = 8; alignment <= std::size_t{1} << 22; alignment *= 2)
    for (const std::size_t size : {0u, 1u, 30u, 512u, 5000u, 600'000u})
      free_aligned_sized(aligned_alloc(alignment, size), alignment, size);
}

TEST_F(SizedFree, AcceptsNullAndSizeZero) {
  free_sized(nullptr, 0);
  free_sized(nullptr, 100);
  free_aligned_sized(nullptr, 64, 100);
  free_sized(std::malloc(opaque(std::size_t{0})), 0);
}

TEST_F(SizedFree, LeavesErrnoAlone) {
  for (const std::size_t size : {1u, 5000u, 90'000'000u}) {
    void *block = std::malloc(size);
    void *aligned = aligned_alloc(4096, size);
    errno = EDOM;
    free_sized(block, size);
    free_aligned_sized(aligned, 4096, size);
    EXPECT_EQ(errno, EDOM) << size;
  }
}

TEST_F(SizedFree, GivesTheMemoryBack) {
  // 60 GB in all.
  for (int round = 0; round < 60'000; ++round) {
    void *block = std::malloc(opaque(std::size_t{1} << 20));
    ASSERT_NE(block, nullptr);
    free_sized(block, std::size_t{1} << 20);
  }
}

} // namespace
