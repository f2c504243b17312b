#include "heap/large_blocks.hpp"
#include "heap/page_store.hpp"

#include "helpers/heap_calls.hpp"
#include "helpers/residency.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <map>
#include <sys/resource.h>
#include <vector>

namespace abut::heap {
namespace {

LargeBlock block_of(const void *memory) { return large_block_at(address_of(memory)); }

class LargeBlocks : public testing::Test {
protected:
  ~LargeBlocks() override {
    for (void *memory : held) free_large(block_of(memory));
    EXPECT_EQ(pages_taken.value(), taken_before);
  }

  void *take(size_t bytes, size_t align = 1) {
    held.push_back(allocate_large(bytes, align, clean));
    EXPECT_NE(held.back(), nullptr);
    return held.back();
  }

  void free(void *memory) {
    std::erase(held, memory);
    free_large(block_of(memory));
  }

  bool clean = false;
  std::vector<void *> held;
  const size_t taken_before = pages_taken.value();
};

TEST_F(LargeBlocks, AreFoundFromWhereTheyBeginAndFromNowhereElse) {
  for (size_t bytes : {kMediumMax + 1, 40 * KiB, 64 * KiB, 100 * KiB + 7, kLargeMax}) {
    const void *memory = take(bytes);
    const LargeBlock block = block_of(memory);
    ASSERT_TRUE(block) << bytes;
    EXPECT_EQ(block.begin(), address_of(memory));
    EXPECT_EQ(block.bytes(), bytes);
    EXPECT_GE(block.usable_bytes(), bytes);
    EXPECT_LE(block.usable_bytes(), bytes + kPageBytes);
    for (size_t offset : {size_t{1}, size_t{16}, size_t{64}, kPageBytes, bytes / 2, bytes - 1})
      EXPECT_FALSE(large_block_at(address_of(memory) + offset)) << offset;
  }
}

TEST_F(LargeBlocks, AreNotFoundAfterTheyWereFreed) {
  void *memory = take(100 * KiB);
  take(40 * KiB); // keeps the segment
  free(memory);
  EXPECT_FALSE(block_of(memory));
}

TEST_F(LargeBlocks, AreNotFoundInASegmentsDescription) {
  const auto segment = round_down(address_of(take(40 * KiB)), kSegmentBytes);
  for (size_t offset = 0; offset < kBlockPageBytes; offset += kPageBytes)
    EXPECT_FALSE(large_block_at(segment + offset));
}

TEST_F(LargeBlocks, KeepEveryAlignment) {
  for (size_t align = 16; align <= kLargeMax / 2; align *= 2)
    for (size_t bytes : {kMediumMax + 1, 100 * KiB, kLargeMax}) {
      void *memory = take(bytes, align);
      EXPECT_EQ(address_of(memory) % align, 0U) << bytes << " at " << align;
      EXPECT_GE(block_of(memory).usable_bytes(), bytes);
      free(memory);
    }
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Sizes that vary leave holes of all lengths: what is free must stay, though not every block finds its place there.
TEST_F(LargeBlocks, KeepTheirPagesWhereTheyAreReplacedAtRandom) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own pages count as well";
#endif
  constexpr int kTurns = 2000, kBlocks = 20;
  support::Random random(1);
  std::vector<void *> blocks;
  blocks.reserve(kBlocks);
  const auto take_and_touch = [&] {
    const size_t bytes = 256 * KiB + random.below(kLargeMax - 256 * KiB);
    void *memory = take(bytes);
    test::touch(memory, bytes);
    return memory;
  };
  for (int i = 0; i < kBlocks; ++i) blocks.push_back(take_and_touch());
  const auto replace = [&](int turns) {
    for (int i = 0; i < turns; ++i) {
      void *&block = blocks[random.below(blocks.size())];
      free(block);
      block = take_and_touch();
    }
  };
  replace(kTurns);
  const long before = page_faults();
  replace(kTurns);
  EXPECT_LT(page_faults() - before, 12 * kTurns) << "of some 280 pages a block";
}

// A program that allocates in waves has all of them in the same pages, once the heap has seen some.
TEST_F(LargeBlocks, KeepTheirPagesWhereTheyComeInWaves) {
  constexpr size_t kBytes = 512 * KiB, kBlocks = 40, kWaves = 5;
  const auto waves = [&] {
    for (size_t wave = 0; wave < kWaves; ++wave) {
      for (size_t i = 0; i < kBlocks; ++i) test::touch(take(kBytes), kBytes);
      while (!held.empty()) free(held.back());
    }
  };
  waves();
  const long before = page_faults();
  waves();
  const auto pages = static_cast<long>(kWaves * kBlocks * kBytes / kPageBytes);
  EXPECT_LT(page_faults() - before, pages / 10);
}

// The second-level caches of today have at least 1,024 sets of a line: an address modulo 64 KiB.
TEST_F(LargeBlocks, OfOneSizeDoNotBeginInTheSameSets) {
  constexpr size_t kBlocks = 64;
  for (size_t bytes : {40 * KiB, 40'000UL, 64 * KiB, 128 * KiB, 200'000UL, MiB, kLargeMax}) {
    std::map<Address, int> in_set;
    for (size_t i = 0; i < kBlocks; ++i) {
      const Address address = address_of(take(bytes));
      EXPECT_EQ(address % kLineBytes, 0U);
      ++in_set[address % (64 * KiB)];
    }
    for (const auto &[set, blocks] : in_set) EXPECT_LE(blocks, 12) << bytes << " at " << set;
    EXPECT_GE(in_set.size(), 7U) << bytes;
  }
}

TEST_F(LargeBlocks, BeginWhereTheLastOneOfTheSizeBeganInTheirRow) {
  for (size_t bytes : {40'000UL, 64 * KiB, MiB}) {
    void *memory = take(bytes);
    const Address begin = address_of(memory);
    free(memory);
    EXPECT_EQ(address_of(take(bytes)), begin) << bytes;
  }
}

TEST_F(LargeBlocks, GiveBackAllPagesThatTheyTook) {
  for (size_t bytes = kMediumMax + 64; bytes < 300 * KiB; bytes += 320) {
    const size_t before = pages_taken.value();
    void *memory = take(bytes);
    take(kMediumMax + 1); // so that each is in another row
    free(memory);
    ASSERT_EQ(pages_taken.value() - before, kBlockPageBytes / kPageBytes) << bytes;
  }
}

TEST_F(LargeBlocks, ReadAsZeroWhereTheyAreSaidToBeClean) {
  support::Random random(9);
  int clean_ones = 0;
  int used_ones = 0;
  for (int round = 0; round < 300; ++round) {
    const size_t bytes = kMediumMax + random.below(kLargeMax - kMediumMax) + 1;
    void *memory = take(bytes);
    ++(clean ? clean_ones : used_ones);
    if (clean) {
      ASSERT_TRUE(support::all_zero(memory, bytes)) << "round " << round;
    }
    support::fill(memory, bytes, 1);
    if (held.size() > 10) free(held[random.below(held.size())]);
    if (round % 50 == 0) trim_pages();
  }
  EXPECT_GT(clean_ones, 0);
  EXPECT_GT(used_ones, 0);
}

TEST_F(LargeBlocks, ShrinkWhereTheyLie) {
  void *memory = take(MiB);
  support::fill(memory, MiB, 2);
  ASSERT_TRUE(resize_large(block_of(memory), 100 * KiB));
  const size_t usable = block_of(memory).usable_bytes();
  EXPECT_GE(usable, 100 * KiB);
  EXPECT_LE(usable, 100 * KiB + kPageBytes);
  EXPECT_TRUE(support::holds(memory, 100 * KiB, 2));
  // It may begin anywhere in its first page.
  EXPECT_LE(pages_taken.value() - taken_before, Pages::holding(3 * kBlockPageBytes).n);
}

TEST_F(LargeBlocks, GrowWhereTheyLieWhenThereIsRoom) {
  void *memory = take(100 * KiB);
  void *next = take(200 * KiB);
  ASSERT_EQ(round_down(address_of(next), kBlockPageBytes),
            round_down(address_of(memory), kBlockPageBytes) + 2 * kBlockPageBytes);
  support::fill(memory, 100 * KiB, 3);
  EXPECT_FALSE(resize_large(block_of(memory), 150 * KiB)) << "its neighbour is in the way";
  free(next);
  ASSERT_TRUE(resize_large(block_of(memory), 250 * KiB));
  EXPECT_GE(block_of(memory).usable_bytes(), 250 * KiB);
  EXPECT_TRUE(support::holds(memory, 100 * KiB, 3));
}

TEST_F(LargeBlocks, DoNotGrowBeyondTheirSegment) {
  void *memory = take(MiB);
  while (block_of(memory).bytes() < kLargeMax) // somebody else may have the next page
    if (!resize_large(block_of(memory), block_of(memory).bytes() + kBlockPageBytes)) break;
  EXPECT_FALSE(resize_large(block_of(memory), kSegmentBytes));
  EXPECT_TRUE(block_of(memory));
}

} // namespace
} // namespace abut::heap
