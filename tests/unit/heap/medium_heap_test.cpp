// Sizes are in granules of 64 bytes throughout, as the medium heap counts.
#include "heap/medium_heap.hpp"

#include "helpers/residency.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace abut::heap {
namespace {

constexpr unsigned kMost = kMediumMax / MediumGranules::kBytes;

Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }
size_t bytes(unsigned size) { return MediumGranules{size}.bytes(); }

MediumMap &map_of(const void *memory) {
  return medium_map_at(Segment::of(memory), address_of(memory));
}

unsigned size_of(const void *memory) {
  return map_of(memory).length_at(medium_granule(address_of(memory)));
}

class MediumHeapTest : public testing::Test {
protected:
  MediumHeapTest() { heap.open(nullptr, 0x7f00 | static_cast<uint32_t>(Tier::medium), kMark); }
  ~MediumHeapTest() override {
    for (void *block : held) heap.give_back(static_cast<Block *>(block));
    heap.close();
    EXPECT_EQ(pages_taken.value(), taken_before) << "a heap without a block has no pages";
  }

  void *take(unsigned size, size_t align = 1) {
    held.push_back(heap.allocate(size, align));
    EXPECT_NE(held.back(), nullptr);
    return held.back();
  }

  void give_back(void *block) {
    std::erase(held, block);
    heap.give_back(static_cast<Block *>(block));
  }

  // Uses up what is left of the hole that is being filled, and of its span, if they take whole large blocks.
  void fill_span(unsigned used) {
    for (unsigned left = kMediumGranulesInSpan - used; left > 0;) {
      const unsigned size = std::min(left, kMost);
      take(size);
      left -= size;
    }
  }

  static constexpr uintptr_t kMark = 0x5a5a5a5a5a5a5a5b;
  MediumHeap heap;
  std::vector<void *> held;
  const size_t taken_before = pages_taken.value();
};

TEST_F(MediumHeapTest, BlocksOfDifferentSizesAbut) {
  Address expected = address_of(take(10)) + bytes(10);
  for (unsigned size : {9U, 100U, 64U, 17U, 33U, 500U}) {
    const Address block = address_of(take(size));
    EXPECT_EQ(block, expected) << size;
    expected = block + bytes(size);
  }
}

TEST_F(MediumHeapTest, TakesTheSmallestHoleThatFits) {
  void *wide = take(90);
  take(10);
  void *narrow = take(30);
  take(10);
  void *middle = take(50);
  take(10);
  fill_span(200);
  for (void *hole : {wide, narrow, middle}) give_back(hole);
  EXPECT_EQ(take(40), middle);
  EXPECT_EQ(take(30), narrow);
  EXPECT_EQ(take(90), wide);
  EXPECT_EQ(pages_taken.value(), taken_before + kPagesInMediumSpan);
}

TEST_F(MediumHeapTest, FreeNeighboursAreOneHole) {
  std::vector<size_t> order{0, 1, 2};
  do {
    std::vector<void *> parts;
    take(10);
    for (int i = 0; i < 3; ++i) parts.push_back(take(20));
    take(10);
    fill_span(80);
    for (size_t index : order) give_back(parts[index]);
    EXPECT_EQ(take(60), parts[0]) << order[0] << order[1] << order[2];
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(MediumHeapTest, KeepsEveryAlignmentUpToAPage) {
  for (size_t align = 1; align <= kPageBytes; align *= 2)
    for (unsigned size : {1U, 9U, 64U, 100U, kMost}) {
      take(9); // so that the next granule is rarely aligned
      EXPECT_EQ(address_of(take(size, align)) % std::max<size_t>(align, MediumGranules::kBytes),
                0U);
    }
}

TEST_F(MediumHeapTest, PassesOverAHoleThatIsLongEnoughButNotAligned) {
  take(1);
  void *hole = take(70); // no place in it for 64 granules at a page boundary
  take(57);
  ASSERT_EQ(address_of(held.back()) % kPageBytes, bytes(71) % kPageBytes);
  fill_span(128);
  give_back(hole);
  EXPECT_EQ(address_of(take(64, kPageBytes)) % kPageBytes, 0U);
  EXPECT_EQ(take(70), hole);
}

TEST_F(MediumHeapTest, EqualBlocksOfWholePagesDoNotAllBeginInOneSet) {
  for (size_t pages : {1U, 2U, 4U}) {
    std::set<Address> lines;
    for (int i = 0; i < 16; ++i)
      lines.insert(address_of(take(MediumHeap::granules_for(pages * kPageBytes))) % kPageBytes);
    EXPECT_GE(lines.size(), 6U) << pages << " pages each";
  }
}

TEST_F(MediumHeapTest, GranulesSuffice) {
  for (size_t request = kSmallMax + 1; request <= kMediumMax; ++request) {
    const size_t granted = bytes(MediumHeap::granules_for(request));
    ASSERT_GE(granted, request);
    ASSERT_LE(granted, request + std::max(request / 8, 2 * kLineBytes));
  }
}

TEST_F(MediumHeapTest, GrowsABlockWhereItLiesWhenThereIsRoom) {
  void *block = take(40);
  support::fill(block, bytes(40), 1);
  void *next = take(30);
  void *after = take(10);
  EXPECT_FALSE(heap.resize(address_of(block), 41));
  give_back(next);
  ASSERT_TRUE(heap.resize(address_of(block), 60));
  ASSERT_TRUE(heap.resize(address_of(block), 70)) << "to the last free granule";
  EXPECT_FALSE(heap.resize(address_of(block), 71));
  EXPECT_EQ(size_of(block), 70U);
  EXPECT_TRUE(support::holds(block, bytes(40), 1));
  EXPECT_EQ(size_of(after), 10U);
  EXPECT_TRUE(map_of(block).valid());
}

TEST_F(MediumHeapTest, DoesNotGrowABlockBeyondItsSpan) {
  fill_span(10);
  void *last = take(10);
  EXPECT_EQ(address_of(last) % (kUnitsInMediumSpan * kUnitBytes) + bytes(10),
            kUnitsInMediumSpan * kUnitBytes);
  EXPECT_FALSE(heap.resize(address_of(last), 11));
}

TEST_F(MediumHeapTest, ShrinksABlockWhereItLiesAndUsesTheRest) {
  void *block = take(100);
  support::fill(block, bytes(100), 2);
  take(10);
  fill_span(110);
  ASSERT_TRUE(heap.resize(address_of(block), 30));
  EXPECT_EQ(size_of(block), 30U);
  EXPECT_TRUE(support::holds(block, bytes(30), 2));
  EXPECT_EQ(address_of(take(70)), address_of(block) + bytes(30));
}

TEST_F(MediumHeapTest, ShrinkingTheLatestBlockLosesNothing) {
  void *block = take(100);
  ASSERT_TRUE(heap.resize(address_of(block), 10));
  fill_span(10);
  EXPECT_EQ(pages_taken.value(), taken_before + kPagesInMediumSpan);
}

TEST(MediumClassesTest, HoldWhatTheyAreAskedForAndLittleMore) {
  for (unsigned granules = 1; granules <= MediumClasses::kMostGranules; ++granules) {
    const unsigned one = kMediumClasses.of(granules);
    ASSERT_LT(one, kMediumClasses.count());
    ASSERT_GE(kMediumClasses.granules(one), granules);
    ASSERT_LE(kMediumClasses.granules(one), granules + granules / 8);
    ASSERT_EQ(kMediumClasses.is_exact(granules), kMediumClasses.granules(one) == granules);
    ASSERT_TRUE(kMediumClasses.is_exact(kMediumClasses.granules(one)));
  }
}

TEST(MediumClassesTest, HaveOneLineMoreForWholeHalfPages) {
  for (size_t request = kPageBytes / 2; request <= kMediumMax; request += kPageBytes / 2)
    EXPECT_EQ(bytes(MediumHeap::granules_for(request)), request + kLineBytes);
}

TEST_F(MediumHeapTest, BinnedBlocksComeBackLastInFirstOut) {
  const unsigned one = kMediumClasses.of(20);
  ASSERT_TRUE(kMediumClasses.is_exact(20));
  auto *first = static_cast<Block *>(take(20));
  auto *second = static_cast<Block *>(take(20));
  EXPECT_EQ(heap.pop(one), nullptr);
  EXPECT_TRUE(heap.push(first, one));
  EXPECT_TRUE(heap.push(second, one));
  EXPECT_TRUE(heap.looks_free(second));
  EXPECT_EQ(heap.bin(one).count(), 2);
  EXPECT_EQ(heap.pop(one), second);
  EXPECT_EQ(heap.pop(one), first);
  EXPECT_FALSE(heap.looks_free(second));
}

TEST_F(MediumHeapTest, AnOverfullBinGivesItsOlderHalfBack) {
  const unsigned one = kMediumClasses.of(20);
  std::vector<Block *> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(static_cast<Block *>(take(20)));
  held.clear();
  for (Block *block : blocks)
    if (!heap.push(block, one)) heap.spill(one);
  EXPECT_LE(heap.bin(one).count(), heap.bin(one).most);
  EXPECT_EQ(heap.pop(one), blocks.back());
  heap.give_back(blocks.back());
}

TEST_F(MediumHeapTest, EmptyPagesOfSpansInUseGoBackAtTheSecondLook) {
  constexpr size_t kSpanBytes = kUnitsInMediumSpan * kUnitBytes;
  std::vector<void *> blocks;
  for (unsigned i = 0; i < kMediumGranulesInSpan / 64; ++i) blocks.push_back(take(64, kPageBytes));
  const Address span = address_of(blocks.front());
  ASSERT_EQ(span % kUnitBytes, 0U);
  for (void *block : blocks) support::fill(block, bytes(64), 3);
  for (size_t i = 1; i < blocks.size(); ++i) give_back(blocks[i]);
  heap.decay(~0U);
  EXPECT_EQ(test::resident_pages(span, kSpanBytes), kPagesInMediumSpan);
  heap.decay(~0U);
  EXPECT_EQ(test::resident_pages(span, kSpanBytes), 1U) << "the page of the one block that is left";
  EXPECT_TRUE(support::holds(blocks[0], bytes(64), 3));
}

TEST_F(MediumHeapTest, ABlockThatIsNotThereCannotBeGivenBack) {
  void *block = take(20);
  take(20);
  EXPECT_DEATH(
      {
        give_back(block);
        give_back(block);
      },
      "free\\(0x[0-9a-f]+\\): ");
}

TEST_F(MediumHeapTest, BlocksKeepTheirContentsThroughRandomChanges) {
  support::Random random(8);
  std::vector<std::pair<void *, unsigned>> blocks;
  for (int step = 0; step < 12000; ++step) {
    const bool grow = step / 2000 % 2 == 0;
    if (step % 500 == 0) heap.decay(~0U);
    if (blocks.empty() || random.below(10) < (grow ? 7U : 3U)) {
      const auto size = static_cast<unsigned>(random.size_up_to(kMost));
      void *block = heap.allocate(size, size_t{1} << random.below(13));
      support::fill(block, bytes(size), address_of(block));
      blocks.emplace_back(block, size);
      continue;
    }
    const size_t index = random.below(blocks.size());
    auto &[block, size] = blocks[index];
    ASSERT_EQ(size_of(block), size);
    ASSERT_TRUE(support::holds(block, bytes(size), address_of(block))) << "step " << step;
    const auto other = static_cast<unsigned>(random.size_up_to(kMost));
    if (random.below(3) == 0 && heap.resize(address_of(block), other)) {
      ASSERT_TRUE(support::holds(block, bytes(std::min(size, other)), address_of(block)));
      support::fill(block, bytes(other), address_of(block));
      size = other;
    } else {
      heap.give_back(static_cast<Block *>(block));
      blocks[index] = blocks.back();
      blocks.pop_back();
    }
  }
  for (const auto &[block, size] : blocks) {
    EXPECT_TRUE(support::holds(block, bytes(size), address_of(block)));
    held.push_back(block);
  }
}

} // namespace
} // namespace abut::heap
