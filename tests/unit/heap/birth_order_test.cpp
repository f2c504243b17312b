// A heap in birth order: which blocks lie side by side, and which in pages of their size.
#include "heap/heap.hpp"

#include "helpers/heap_calls.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace abut::heap {
namespace {

class BirthOrderTest : public testing::Test {
protected:
  BirthOrderTest() {
    take(16); // so that the thread has a heap
    current->set_order(true);
  }
  ~BirthOrderTest() override {
    for (void *block : blocks_)
      if (!release(block)) release_slow("free", block);
    current->set_order(false);
  }

  void *take(size_t bytes) { return blocks_.emplace_back(allocate(bytes)); }

  // Which kind of page so many blocks in a row lie in.
  size_t in_birth_pages(size_t bytes, int blocks) {
    size_t births = 0;
    for (int i = 0; i < blocks; ++i)
      births += segment_map.kind_at(address_of(take(bytes))) == SegmentKind::birth_pages;
    return births;
  }

private:
  std::vector<void *> blocks_;
};

TEST_F(BirthOrderTest, BlocksOfDifferentSizesLieSideBySide) {
  take(16);
  Address end = address_of(take(16)) + 16;
  size_t beside = 0, blocks = 0;
  for (int round = 0; round < 10; ++round)
    for (size_t bytes = 16; bytes <= kBirthOrderMax; bytes += 16, ++blocks) {
      const Address block = address_of(take(bytes));
      beside += block == end;
      end = block + bytes;
    }
  EXPECT_GE(beside, blocks - 5); // where a page or window ends, they do not
}

TEST_F(BirthOrderTest, EndsWhereABlockIsFourLinesLong) {
  EXPECT_EQ(in_birth_pages(kBirthOrderMax, 1000), 1000U);
  for (const size_t bytes : {kBirthOrderMax + 1, size_t{512}, kBirthMax})
    EXPECT_LE(in_birth_pages(bytes, 1000), 64U) << bytes << ": but for the first ones";
}

TEST_F(BirthOrderTest, EndsThereWhenBlocksAreUsedAgain) {
  for (int round = 0; round < 3; ++round) {
    std::vector<void *> blocks;
    for (int i = 0; i < 1000; ++i) {
      blocks.push_back(take(48));
      blocks.push_back(allocate(512));
    }
    size_t births = 0;
    for (size_t i = 1; i < blocks.size(); i += 2) {
      births += segment_map.kind_at(address_of(blocks[i])) == SegmentKind::birth_pages;
      if (!release(blocks[i])) release_slow("free", blocks[i]);
    }
    EXPECT_LE(births, round == 0 ? 64U : 0U);
  }
}

TEST_F(BirthOrderTest, ZeroBytesAreABlockOfTheirOwn) {
  take(48); // there is room behind it
  void *one = take(0), *other = take(0);
  EXPECT_NE(one, other);
  EXPECT_GT(usable_size("malloc_usable_size", one), 0U);
}

TEST_F(BirthOrderTest, WhereFreeBlocksBeganIsNotKnownAndNotSaid) {
  auto *block = static_cast<char *>(allocate(128));
  take(16);
  EXPECT_DEATH(free(block + 16), "no block begins at this address");
  free(block);
  for (const long offset : {0L, 16L, 1L << 12})
    EXPECT_DEATH(free(block + offset), "not a live block: freed before, or never handed out");
}

} // namespace
} // namespace abut::heap
