// posix_memalign, aligned_alloc, memalign, valloc, pvalloc: POSIX, ISO C 7.22.3.1, and glibc's
// habits.
#include "support/opaque.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <ostream>
#include <set>
#include <unistd.h>
#include <vector>

using support::opaque;

namespace {

bool aligned_to(const void *block, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

using Allocate = void *(*)(std::size_t alignment, std::size_t size);

void *by_posix_memalign(std::size_t alignment, std::size_t size) {
  void *block = nullptr;
  return posix_memalign(&block, alignment, size) == 0 ? block : nullptr;
}

struct AlignedCall {
  const char *name;
  Allocate allocate;
};

// How GoogleTest names a parameter: by default it would print the bytes.
void PrintTo(const AlignedCall &call, std::ostream *out) { *out << call.name; }

class EveryAlignedCall : public testing::TestWithParam<AlignedCall> {};

TEST_P(EveryAlignedCall, AlignsFromAPointerToOneGibibyte) {
  for (std::size_t alignment = sizeof(void *); alignment <= std::size_t{1} << 30; alignment *= 2)
    for (const std::size_t size : {1u, 24u, 1000u, 4096u, 70'000u, 2'000'000u}) {
      void *block = GetParam().allocate(alignment, size);
      ASSERT_NE(block, nullptr) << size << " aligned " << alignment;
      EXPECT_TRUE(aligned_to(block, alignment)) << size << " aligned " << alignment;
      support::fill(block, size, alignment);
      EXPECT_TRUE(support::holds(block, size, alignment));
      EXPECT_GE(malloc_usable_size(block), size);
      std::free(block);
    }
}

TEST_P(EveryAlignedCall, KeepsManyLiveBlocksApart) {
  struct Block {
    void *start;
    std::size_t size;
  };
  support::Random random(17);
  std::vector<Block> blocks;
  for (std::size_t key = 0; key < 3000; ++key) {
    const std::size_t alignment = std::size_t{8} << random.below(13);
    const std::size_t size = random.size_up_to(20'000);
    blocks.push_back({GetParam().allocate(alignment, size), size});
    ASSERT_NE(blocks.back().start, nullptr);
    EXPECT_TRUE(aligned_to(blocks.back().start, alignment)) << size << " aligned " << alignment;
    support::fill(blocks.back().start, size, key);
  }
  for (std::size_t key = 0; key < blocks.size(); ++key) {
    EXPECT_TRUE(support::holds(blocks[key].start, blocks[key].size, key));
    std::free(blocks[key].start);
  }
}

TEST_P(EveryAlignedCall, AlignsManyLiveBlocksThatAreSmallerThanTheirAlignment) {
  for (const std::size_t alignment : {8u, 16u, 32u, 64u}) {
    std::vector<void *> blocks;
    for (std::size_t i = 0; i < 1000; ++i) {
      blocks.push_back(GetParam().allocate(alignment, i % alignment + 1));
      EXPECT_TRUE(aligned_to(blocks.back(), alignment)) << i % alignment + 1 << " " << alignment;
    }
    for (void *block : blocks) std::free(block);
  }
}

TEST_P(EveryAlignedCall, GivesABlockForSizeZero) {
  for (const std::size_t alignment : {8u, 64u, 4096u, 1u << 20}) {
    void *block = GetParam().allocate(alignment, opaque(std::size_t{0}));
    EXPECT_NE(block, nullptr) << alignment;
    EXPECT_TRUE(aligned_to(block, alignment)) << alignment;
    std::free(block);
  }
}

TEST_P(EveryAlignedCall, GivesBackWhatAFreeReturns) {
  // 100 GB in all, at most 1 MB at a time.
  for (int round = 0; round < 100'000; ++round) {
    void *block = GetParam().allocate(std::size_t{8} << (round % 15), opaque(std::size_t{1} << 20));
    ASSERT_NE(block, nullptr) << "round " << round;
    std::free(block);
  }
}

TEST_P(EveryAlignedCall, RefusesSizesNoMemoryCanHold) {
  for (const std::size_t alignment : {8u, 64u, 4096u, 1u << 30})
    for (const std::size_t size :
         {SIZE_MAX, SIZE_MAX - alignment, SIZE_MAX / 2 + 1, SIZE_MAX / 2 - 4096}) {
      errno = 0;
      EXPECT_EQ(GetParam().allocate(opaque(alignment), opaque(size)), nullptr)
          << size << " aligned " << alignment;
    }
}

INSTANTIATE_TEST_SUITE_P(, EveryAlignedCall,
                         testing::Values(AlignedCall{"PosixMemalign", by_posix_memalign},
                                         AlignedCall{"AlignedAlloc", aligned_alloc},
                                         AlignedCall{"Memalign", memalign}),
                         [](const auto &tested) { return tested.param.name; });

TEST(PosixMemalign, RefusesAlignmentsThatAreNoPowerOfTwoTimesAPointer) {
  for (const std::size_t alignment : {0u, 1u, 2u, 3u, 4u, 7u, 12u, 24u, 48u, 100u, 4095u, 6144u}) {
    void *const untouched = &errno;
    void *block = untouched;
    errno = EDOM;
    EXPECT_EQ(posix_memalign(&block, opaque(alignment), 100), EINVAL) << alignment;
    EXPECT_EQ(block, untouched) << "a failed call must not store a pointer";
    EXPECT_EQ(errno, EDOM) << "the value alone reports a mistake in the call";
  }
}

// POSIX leaves errno open; programs for the GNU C library find it as malloc leaves it.
TEST(PosixMemalign, ReportsByItsValueAndInErrnoThatMemoryIsLacking) {
  const std::size_t half = std::size_t{1} << 63;
  const auto refuses = [](std::size_t alignment, std::size_t size) {
    void *const untouched = &errno;
    void *block = untouched;
    errno = EDOM;
    EXPECT_EQ(posix_memalign(&block, opaque(alignment), opaque(size)), ENOMEM);
    EXPECT_EQ(errno, ENOMEM) << alignment << " " << size;
    EXPECT_EQ(block, untouched);
  };
  for (const std::size_t alignment : {8ul, 16ul, 64ul, 4096ul, 65536ul, 1ul << 40})
    for (const std::size_t size : {half - 1, half, SIZE_MAX - 2 * alignment, SIZE_MAX})
      refuses(alignment, size);
  for (const std::size_t size : {std::size_t{0}, std::size_t{16}, half}) refuses(half, size);
}

TEST(PosixMemalign, LeavesErrnoAloneWhereItSucceeds) {
  for (std::size_t alignment = 8; alignment <= std::size_t{1} << 21; alignment *= 2)
    for (const std::size_t size : {0u, 1u, 100u, 5000u, 300'000u, 5'000'000u}) {
      void *block = nullptr;
      errno = EDOM;
      ASSERT_EQ(posix_memalign(&block, alignment, size), 0);
      EXPECT_EQ(errno, EDOM) << alignment << " " << size;
      std::free(block);
    }
}

TEST(AlignedAlloc, SetsErrnoWhenMemoryIsLacking) {
  errno = 0;
  EXPECT_EQ(aligned_alloc(64, opaque(SIZE_MAX - 64)), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(memalign(64, opaque(SIZE_MAX - 64)), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(memalign(opaque(std::size_t{1} << 63), 16), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(memalign(opaque(SIZE_MAX), 16), nullptr);
  EXPECT_EQ(errno, EINVAL) << "no power of two is as large";
}

TEST(AlignedAlloc, RefusesOrRoundsUpAnAlignmentThatIsNoPowerOfTwo) {
  for (const std::size_t alignment : {3u, 24u, 48u, 100u, 5000u})
    for (const Allocate allocate : {aligned_alloc, memalign}) {
      errno = 0;
      void *block = allocate(opaque(alignment), 500);
      if (block == nullptr) {
        EXPECT_EQ(errno, EINVAL) << alignment;
        continue;
      }
      std::size_t rounded = 16;
      while (rounded < alignment) rounded *= 2;
      EXPECT_TRUE(aligned_to(block, rounded)) << alignment;
      std::free(block);
    }
}

TEST(Valloc, AlignsToAPage) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, page - 1, page, page + 1, page * 100}) {
    void *block = valloc(opaque(size));
    ASSERT_NE(block, nullptr) << size;
    EXPECT_TRUE(aligned_to(block, page)) << size;
    support::fill(block, size, 1);
    std::free(block);
  }
}

TEST(Pvalloc, AlignsToAPageAndRoundsTheSizeUpToPages) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, page - 1, page, page + 1, page * 100 + 1}) {
    void *block = pvalloc(opaque(size));
    ASSERT_NE(block, nullptr) << size;
    EXPECT_TRUE(aligned_to(block, page)) << size;
    const std::size_t rounded = (size + page - 1) / page * page;
    EXPECT_GE(malloc_usable_size(block), rounded) << size;
    support::fill(block, rounded, 2);
    std::free(block);
  }
}

// Blocks of a page that is full, freed while another page of the same blocks is in use.
TEST(AlignedAlloc, HandsOutNoLiveBlock) {
  std::vector<void *> blocks;
  std::set<void *> live;
  const auto add = [&] {
    blocks.push_back(aligned_alloc(opaque(1024), opaque(1024)));
    ASSERT_TRUE(live.insert(blocks.back()).second) << blocks.size();
  };
  const auto remove = [&](std::size_t index) {
    std::free(blocks[index]);
    live.erase(blocks[index]);
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(index));
  };
  for (int round = 0; round < 64; ++round) {
    const std::size_t first = blocks.size();
    for (int i = 0; i < 68 + round % 4; ++i) ASSERT_NO_FATAL_FAILURE(add());
    remove(blocks.size() - 2);
    for (int i = 0; i < 4; ++i) remove(first + 10);
    for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(add());
  }
  for (void *block : live) std::free(block);
}

TEST(Pvalloc, RefusesASizeWhoseRoundingOverflows) {
  for (const std::size_t size : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 4095, SIZE_MAX - 4096}) {
    errno = 0;
    EXPECT_EQ(pvalloc(opaque(size)), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    errno = 0;
    EXPECT_EQ(valloc(opaque(size)), nullptr);
    EXPECT_EQ(errno, ENOMEM);
  }
}

} // namespace
