// What heap.hpp promises to those above it, a call at a time. That blocks are apart, aligned, zeroed where asked
// for, and keep their contents, is what the random loads of heap_model_test check.
#include "heap/heap.hpp"

#include "helpers/heap_calls.hpp"
#include "helpers/residency.hpp"
#include "support/pattern.hpp"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace abut::heap {
namespace {

char *at(void *memory, ptrdiff_t offset) { return static_cast<char *>(memory) + offset; }

// One size of every tier and those at their borders.
const std::vector<size_t> kSizes{0,
                                 1,
                                 8,
                                 9,
                                 100,
                                 kSmallMax,
                                 kSmallMax + 1,
                                 4096,
                                 kMediumMax,
                                 kMediumMax + 1,
                                 100000,
                                 kLargeMax,
                                 kLargeMax + 1,
                                 3 * MiB};

TEST(Allocate, GrantsLittleMoreThanWasAskedFor) {
  for (size_t bytes = 1; bytes <= kLargeMax; bytes += bytes < 2000 ? 1 : 997) {
    void *block = allocate(bytes);
    const size_t usable = usable_size("test", block);
    ASSERT_GE(usable, bytes);
    const size_t rounding = bytes <= kMediumMax ? 16 + bytes / 8 : 2 * kPageBytes;
    ASSERT_LE(usable, bytes + rounding) << bytes;
    free(block);
  }
}

TEST(Allocate, RefusesMoreThanMayBeAskedFor) {
  errno = 123;
  for (size_t bytes : {kRequestMax + 1, kRequestMax, size_t{1} << 60, SIZE_MAX, SIZE_MAX - 8}) {
    EXPECT_EQ(allocate(bytes), nullptr) << bytes;
    EXPECT_EQ(allocate_zeroed(bytes), nullptr) << bytes;
    EXPECT_EQ(allocate_aligned(64, bytes), nullptr) << bytes;
  }
  EXPECT_EQ(allocate_aligned(size_t{1} << 63, 1), nullptr);
  EXPECT_EQ(errno, 123) << "errno is set by the entry points alone";
}

TEST(Allocate, EqualBlocksOfWholePagesDoNotAllBeginInOneSet) {
  for (size_t bytes : {size_t{2048}, size_t{4096}, 16 * KiB, 64 * KiB, MiB, 4 * MiB}) {
    std::vector<void *> blocks;
    std::set<Address> lines;
    for (int i = 0; i < 32; ++i) {
      blocks.push_back(allocate(bytes));
      lines.insert(address_of(blocks.back()) % kPageBytes / kLineBytes);
    }
    EXPECT_GE(lines.size(), 6U) << bytes;
    for (void *block : blocks) free(block);
  }
}

TEST(Release, TakesOnlyBlocksInPagesOnTheFastPath) {
  std::vector<void *> blocks; // the first ones lie in birth order
  for (int i = 0; i < 200; ++i) blocks.push_back(allocate(64));
  EXPECT_TRUE(release(blocks.back()));
  blocks.pop_back();
  for (void *block : blocks) free(block);
  for (size_t bytes : {40 * KiB, MiB, 4 * MiB}) {
    void *block = allocate(bytes);
    EXPECT_FALSE(release(block)) << bytes;
    EXPECT_EQ(release_slow("free", block), Release::done);
  }
}

TEST(Release, KnowsForeignAddresses) {
  int local = 0;
  static int global = 0;
  void *mapped = os::map(kPageBytes);
  for (void *memory : {static_cast<void *>(&local), static_cast<void *>(&global), mapped,
                       reinterpret_cast<void *>(Address{16}), static_cast<void *>(nullptr)}) {
    EXPECT_FALSE(release(memory));
    EXPECT_EQ(release_slow("free", memory), Release::foreign);
    EXPECT_EQ(usable_size("test", memory), 0U);
    EXPECT_TRUE(resize("realloc", memory, 100).foreign);
  }
  os::unmap(mapped, kPageBytes);
}

// A message names the call, the pointer and the reason.
constexpr const char *kMessage = "abut: free\\(0x[0-9a-f]+\\): [a-z]";

TEST(ReleaseDeathTest, EndsTheProcessAtAnAddressWhereNoBlockBegins) {
  for (size_t bytes : {size_t{64}, size_t{1000}, 100 * KiB, 4 * MiB}) {
    void *block = allocate(bytes);
    for (size_t offset : {size_t{1}, size_t{8}, size_t{16}, bytes / 2, bytes - 1})
      EXPECT_DEATH(free(at(block, static_cast<ptrdiff_t>(offset))), kMessage)
          << bytes << "+" << offset;
    free(block);
  }
}

TEST(ReleaseDeathTest, NamesAnAddressInsideALiveBlockAsThat) {
  for (size_t bytes : {size_t{40}, size_t{64}, size_t{200}}) { // in either order
    std::vector<void *> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(allocate(bytes));
    for (void *block : {blocks.front(), blocks.back()})
      EXPECT_DEATH(free(at(block, 16)), "no block begins") << bytes;
    for (void *block : blocks) free(block);
  }
}

TEST(ReleaseDeathTest, EndsTheProcessAtTheHeapsOwnDescription) {
  void *block = allocate(64);
  void *segment = PageSegment::of(address_of(block));
  EXPECT_DEATH(free(segment), kMessage);
  EXPECT_DEATH(free(at(segment, 128)), kMessage);
  free(block);
}

TEST(ReleaseDeathTest, EndsTheProcessBesideAHugeBlock) {
  void *block = allocate(kLargeMax + 1); // its mapping is shorter than the slot that it lies in
  EXPECT_DEATH(free(at(block, static_cast<ptrdiff_t>(3 * MiB))), kMessage);
  free(block);
}

TEST(Resize, LetsABlockThatStillFitsStay) {
  for (size_t bytes : kSizes) {
    if (bytes == 0) continue;
    void *block = allocate(bytes);
    EXPECT_EQ(resize("realloc", block, usable_size("test", block)).memory, block) << bytes;
    EXPECT_EQ(resize("realloc", block, usable_size("test", block) * 3 / 4).memory, block) << bytes;
    free(block);
  }
}

TEST(Resize, MovesABufferThatGrowsInSmallStepsAFewTimes) {
  void *block = allocate(KiB + 100);
  unsigned moves = 0;
  for (size_t bytes = KiB + 100; bytes <= kMediumMax; bytes += 100) {
    support::fill(block, bytes - 100, 1);
    void *resized = resize("realloc", block, bytes).memory;
    moves += resized != block;
    block = resized;
    ASSERT_TRUE(support::holds(block, bytes - 100, 1)) << bytes;
  }
  EXPECT_LE(moves, 16U) << "there are forty sizes on the way";
  free(block);
}

TEST(Resize, GivesWhatIsAskedForToABlockThatGrowsByMuch) {
  for (size_t bytes : {size_t{2000}, size_t{9000}, size_t{20000}}) {
    void *block = resize("realloc", allocate(bytes), bytes * 3 / 2).memory;
    EXPECT_LE(usable_size("test", block), bytes * 7 / 4) << bytes;
    free(block);
  }
}

TEST(Resize, GivesBackWhatABlockDoesNotNeedAnyMore) {
  for (size_t bytes : {size_t{512}, size_t{30000}, MiB, 64 * MiB}) {
    void *block = allocate(bytes);
    const Resized resized = resize("realloc", block, bytes / 16);
    EXPECT_LE(usable_size("test", resized.memory), bytes / 8) << bytes;
    free(resized.memory);
  }
}

TEST(Resize, LeavesTheBlockWhereThereIsNoMemory) {
  for (size_t bytes : {size_t{64}, size_t{1000}, MiB, 4 * MiB}) {
    void *block = allocate(bytes);
    support::fill(block, bytes, 1);
    for (size_t much : {kRequestMax, SIZE_MAX}) {
      const Resized resized = resize("realloc", block, much);
      EXPECT_EQ(resized.memory, nullptr);
      EXPECT_FALSE(resized.foreign);
    }
    EXPECT_TRUE(support::holds(block, bytes, 1));
    free(block);
  }
}

TEST(ResizeDeathTest, EndsTheProcessAtAnAddressWhereNoBlockBegins) {
  void *block = allocate(100);
  EXPECT_DEATH(resize("realloc", at(block, 16), 200), "abut: realloc\\(0x[0-9a-f]+\\): [a-z]");
  EXPECT_DEATH(usable_size("malloc_usable_size", at(block, 16)), "abut: malloc_usable_size\\(");
  free(block);
}

TEST(Trim, GivesTheMemoryOfFreedBlocksBack) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "what the sanitizer keeps for each address stays";
#endif
  constexpr size_t kBytes = 16 * MiB;
  for (size_t each : {size_t{8}, size_t{48}, size_t{500}, size_t{3000}, size_t{200000}}) {
    std::vector<void *> blocks(kBytes / each);
    const size_t before = os::resident_bytes();
    for (void *&block : blocks) std::memset(block = allocate(each), 1, each);
    const size_t full = os::resident_bytes();
    EXPECT_GE(full - before, kBytes * 9 / 10) << each;
    for (void *block : blocks) free(block);
    trim();
    EXPECT_LE(os::resident_bytes(), before + kBytes / 16) << each;
  }
}

TEST(Extent, HoldsItsAddressesAndNoOthers) {
  constexpr Extent kBlock{32, 48};
  EXPECT_TRUE(kBlock.holds(32) && kBlock.holds(47));
  EXPECT_FALSE(kBlock.holds(31) || kBlock.holds(48) || kBlock.holds(0));
  EXPECT_FALSE(Extent{}.holds(0)) << "nowhere holds nothing";
}

TEST(Trim, SaysHowMuchItGaveBack) {
  void *block = allocate(MiB / 2); // so little that it waits to be used again
  std::memset(block, 1, MiB / 2);
  free(block);
  EXPECT_GE(trim(), MiB / 4);
}

} // namespace
} // namespace abut::heap
