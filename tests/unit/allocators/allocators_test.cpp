// The papers' allocators as wholes: what the papers say of each. Against a model they are tested with heap_model.
#include "allocators/catalogue.hpp"
#include "allocators/layers/areas.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace abut::allocators {
namespace {

using layers::Grain;
using layers::Release;

Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }

Instance opened(const char *name, Grain grain) {
  Instance heap;
  const Entry *entry = find_allocator(name);
  EXPECT_NE(entry, nullptr);
  EXPECT_TRUE(heap.open(*entry, grain));
  return heap;
}

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

// Rezaei and Kavi, section 2.2: neighbours coalesce, and the longest that is free is known at the root. So do Lea's.
TEST(Abt, CoalescesNeighboursAndServesFromThem) {
  for (const char *name : {"abt", "abt-first", "cartesian", "lea"}) {
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

} // namespace
} // namespace abut::allocators
