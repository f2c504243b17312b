// The papers' allocators as wholes: every one against a model, and what the papers say of each.
#include "allocators/catalogue.hpp"
#include "allocators/layers/areas.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace abut::allocators {
namespace {

using layers::Grain;
using layers::Release;

Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }

Instance opened(const std::string &name, Grain grain) {
  Instance heap;
  const Entry *entry = find_allocator(name.data(), name.size());
  EXPECT_NE(entry, nullptr);
  EXPECT_TRUE(heap.open(*entry, grain));
  return heap;
}

class EveryAllocator : public testing::TestWithParam<size_t> {
protected:
  const Entry &entry = allocator_at(GetParam());
};

size_t random_bytes(support::Random &random) {
  const uint64_t kind = random.below(1000);
  const uint64_t limit = kind < 700 ? 130 : kind < 900 ? 2100 : kind < 990 ? 40'000 : 300'000;
  return 1 + random.below(limit);
}

TEST_P(EveryAllocator, KeepsBlocksApartAndWhole) {
  for (const Grain grain : {Grain::eight, Grain::sixteen}) {
    Instance heap = opened(entry.name, grain);
    support::Random random(5);
    struct Block {
      size_t bytes;
      unsigned char fill;
    };
    std::map<char *, Block> live;
    std::vector<char *> order;
    for (int step = 0; step < 30'000; ++step) {
      if (order.size() > 600 || (!order.empty() && random.below(2) == 0)) {
        const size_t at = random.below(order.size());
        char *block = order[at];
        const Block was = live[block];
        for (size_t i = 0; i < was.bytes; i += 61)
          ASSERT_EQ(static_cast<unsigned char>(block[i]), was.fill);
        ASSERT_EQ(heap.release(block), Release::done);
        live.erase(block);
        order[at] = order.back();
        order.pop_back();
        continue;
      }
      const size_t bytes = random_bytes(random);
      size_t align = bytes <= 8 ? 8 : layers::bytes_of(grain);
      if (random.below(20) == 0) align = size_t{16} << random.below(9);
      auto *block = static_cast<char *>(heap.allocate(bytes, align));
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(address_of(block) % align, 0U);
      const size_t usable = heap.usable(block);
      ASSERT_GE(usable, bytes);
      const auto next = live.lower_bound(block);
      if (next != live.end()) {
        ASSERT_LE(block + usable, next->first);
      }
      if (next != live.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second.bytes, block);
      }
      const auto fill = static_cast<unsigned char>(step);
      std::memset(block, fill, usable);
      live[block] = {usable, fill};
      order.push_back(block);
    }
    EXPECT_EQ(heap.counts().live_blocks(), order.size());
    for (char *block : order) ASSERT_EQ(heap.release(block), Release::done);
    EXPECT_EQ(heap.counts().live_bytes, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Allocators, EveryAllocator, testing::Range(size_t{0}, kAllocators),
                         [](const auto &info) {
                           std::string name = allocator_at(info.param).name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// What lies between the begins of two blocks of `bytes` that are allocated one after the other.
size_t distance(const char *name, size_t bytes) {
  Instance heap = opened(name, Grain::eight);
  const Address first = address_of(heap.allocate(bytes, 8));
  return address_of(heap.allocate(bytes, 8)) - first;
}

// Section 3.3: no header below 128 bytes; section 3.1: each class is eight bytes above the last.
TEST(Vam, HasNoHeaderBelow128BytesAndExactClasses) {
  for (size_t bytes = 8; bytes <= 120; bytes += 8) EXPECT_EQ(distance("vam", bytes), bytes);
  for (size_t bytes = 128; bytes <= 496; bytes += 8) EXPECT_EQ(distance("vam", bytes), bytes + 8);
  for (size_t bytes = 8; bytes <= 120; bytes += 8)
    EXPECT_EQ(distance("vam-header", bytes), bytes + 8);
  Instance heap = opened("vam", Grain::eight);
  for (size_t bytes = 8; bytes <= 496; bytes += 8)
    EXPECT_EQ(heap.usable(heap.allocate(bytes, 8)), bytes);
}

// Section 3.3: what has headers and what has none lies in areas of its own.
TEST(Vam, KeepsBlocksWithAndWithoutHeadersInDifferentAreas) {
  Instance heap = opened("vam", Grain::eight);
  EXPECT_EQ(layers::kind_of(heap.allocate(120, 8)), layers::AreaKind::runs);
  EXPECT_EQ(layers::kind_of(heap.allocate(128, 8)), layers::AreaKind::chunks);
  EXPECT_EQ(layers::kind_of(heap.allocate(32 * KiB, 8)), layers::AreaKind::chunks);
  EXPECT_EQ(layers::kind_of(heap.allocate(32 * KiB + 1, 8)), layers::AreaKind::none);
}

// Section 3.1: a small size's block is one page, a medium one's is four.
TEST(Vam, CutsSmallSizesFromOnePageAndMediumOnesFromFour) {
  const auto neighbours = [](size_t bytes) {
    Instance heap = opened("vam", Grain::eight);
    const Address first = address_of(heap.allocate(bytes, 8));
    size_t count = 1;
    // Blocks of another size in between take the next pages, so that a new block is not a neighbour.
    const size_t other = bytes - 8;
    heap.allocate(other, 8);
    while (address_of(heap.allocate(bytes, 8)) == first + count * (bytes + (bytes < 128 ? 0 : 8)))
      ++count;
    return count;
  };
  EXPECT_EQ(neighbours(64), kPageBytes / 64);
  EXPECT_EQ(neighbours(248), (4 * kPageBytes - 8) / 256);
}

// Section 3.4: the pointer first goes to the end; section 3.5: a block that was full is used next.
TEST(Vam, FillsAPageBeforeItReuses) {
  Instance heap = opened("vam", Grain::eight);
  auto *first = static_cast<char *>(heap.allocate(64, 8));
  heap.release(heap.allocate(64, 8));
  EXPECT_EQ(heap.allocate(64, 8), first + 128);
}

// Section 3.6: pages that become empty are given back at once; those of large blocks, too.
TEST(Vam, DiscardsEmptyPages) {
  Instance heap = opened("vam", Grain::eight);
  auto *kept = static_cast<char *>(heap.allocate(64, 8));
  std::vector<char *> page;
  for (int i = 0; i < 63 + 64; ++i) page.push_back(static_cast<char *>(heap.allocate(64, 8)));
  std::memset(page.back(), 1, 64);
  const char *seen = page.back();
  for (char *block : page) heap.release(block);
  EXPECT_EQ(seen[0], 0);
  kept[0] = 1;
}

// Section 2.2: sizes are rounded to powers of two below 2 KiB, and to pages above.
TEST(Phk, RoundsToPowersOfTwoAndPages) {
  Instance heap = opened("phk", Grain::sixteen);
  for (const auto &[bytes, usable] : {std::pair<size_t, size_t>{17, 32},
                                      {33, 64},
                                      {513, 1024},
                                      {1025, 2048},
                                      {2049, 4096},
                                      {5000, 8192}})
    EXPECT_EQ(heap.usable(heap.allocate(bytes, 16)), usable) << bytes;
  Instance exact = opened("phk-sc", Grain::eight);
  for (size_t bytes = 8; bytes <= 2048; bytes += 8)
    EXPECT_EQ(exact.usable(exact.allocate(bytes, 8)), bytes);
}

// Section 2.1: eight bytes before each block; blocks of any size side by side.
TEST(Lea, HasAHeaderOfEightBytesBeforeEachBlock) {
  EXPECT_EQ(distance("lea", 56), 64U);
  EXPECT_EQ(distance("lea", 1000), 1008U);
}

// Section 2.3: as a region until something is freed, then from what was freed.
TEST(Reap, BumpsUntilSomethingIsFreed) {
  Instance heap = opened("reap", Grain::eight);
  auto *first = static_cast<char *>(heap.allocate(56, 8));
  EXPECT_EQ(heap.allocate(24, 8), first + 64);
  heap.release(first);
  EXPECT_EQ(heap.allocate(56, 8), first);
}

// Section 4.5: what is freed waits until all after it is free, too.
TEST(Xalloc, ReusesWhenAllAtItsEndIsFree) {
  Instance heap = opened("xalloc", Grain::eight);
  auto *first = static_cast<char *>(heap.allocate(40, 8));
  auto *second = static_cast<char *>(heap.allocate(40, 8));
  auto *third = static_cast<char *>(heap.allocate(40, 8));
  EXPECT_EQ(second, first + 48);
  heap.release(second);
  auto *fourth = static_cast<char *>(heap.allocate(40, 8));
  EXPECT_EQ(fourth, third + 48);
  heap.release(fourth);
  heap.release(third);
  EXPECT_EQ(heap.allocate(40, 8), second);
}

// Rezaei and Kavi, section 2.2: neighbours coalesce, and the longest that is free is known at the root.
TEST(Abt, CoalescesNeighboursAndServesFromThem) {
  for (const char *name : {"abt", "abt-first", "cartesian"}) {
    Instance heap = opened(name, Grain::sixteen);
    std::vector<char *> blocks;
    for (int i = 0; i < 4; ++i) blocks.push_back(static_cast<char *>(heap.allocate(100, 16)));
    std::sort(blocks.begin(), blocks.end());
    heap.release(blocks[0]);
    heap.release(blocks[2]);
    heap.release(blocks[1]);
    EXPECT_EQ(heap.allocate(320, 16), blocks[0]) << name;
  }
}

TEST(Kingsley, RoundsBlockAndHeaderToAPowerOfTwo) {
  EXPECT_EQ(distance("kingsley", 56), 64U);
  EXPECT_EQ(distance("kingsley", 57), 128U);
}

TEST(Catalogue, KnowsItsNamesAndNoOthers) {
  EXPECT_EQ(find_allocator("vam", 2), nullptr);
  EXPECT_EQ(find_allocator("vam-", 4), nullptr);
  for (size_t i = 0; i < kAllocators; ++i)
    EXPECT_EQ(find_allocator(allocator_at(i).name, std::strlen(allocator_at(i).name)),
              &allocator_at(i));
}

} // namespace
} // namespace abut::allocators
