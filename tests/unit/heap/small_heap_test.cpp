#include "helpers/option_setting.hpp"
#include "helpers/residency.hpp"
#include "helpers/small_heap_user.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace abut::heap {
namespace {

constexpr size_t kBlocksOf64InSpan = kUnitBytes / 64;

Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }
Address page_of(const void *memory) { return round_down(address_of(memory), kPageBytes); }

class SmallHeapTest : public testing::Test {
protected:
  ~SmallHeapTest() override {
    for (void *block : held) user.free(block);
    user.heap.close();
    EXPECT_EQ(pages_taken.value(), taken_before) << "a heap without a block has no pages";
  }

  void *take(size_t bytes) {
    held.push_back(user.take(bytes));
    return held.back();
  }

  std::vector<void *> take_many(size_t count, size_t bytes) {
    std::vector<void *> blocks;
    for (size_t i = 0; i < count; ++i) blocks.push_back(take(bytes));
    return blocks;
  }

  void free(void *block) {
    std::erase(held, block);
    user.free(block);
  }

  SmallHeapUser user;
  std::vector<void *> held;
  const size_t taken_before = pages_taken.value();
};

TEST_F(SmallHeapTest, NeighboursOfDifferentSizesAbut) {
  Address expected = address_of(take(16)) + 16;
  for (size_t bytes : {24U, 100U, 9U, 512U, 40U, 17U, 320U, 64U, 500U, 33U}) {
    const Address block = address_of(take(bytes));
    EXPECT_EQ(block, expected) << bytes << " bytes";
    expected = block + round_up(bytes, 16);
  }
}

TEST_F(SmallHeapTest, PagesOfNeighboursAreNeighbours) {
  std::set<Address> pages;
  for (size_t i = 0; i < kPagesInUnit * kPageBytes / 512; ++i) pages.insert(page_of(take(512)));
  EXPECT_EQ(pages.size(), kPagesInUnit);
  EXPECT_EQ(*pages.rbegin() - *pages.begin(), (kPagesInUnit - 1) * kPageBytes);
}

TEST_F(SmallHeapTest, AFreedBlockIsTheNextOfItsSize) {
  const std::vector<void *> blocks = take_many(4, 48);
  take(48);
  for (void *block : blocks) free(block);
  for (size_t i = blocks.size(); i-- > 0;) EXPECT_EQ(take(48), blocks[i]) << "last in, first out";
}

TEST_F(SmallHeapTest, AFreedBlockIsNotTheNextOfAnotherSize) {
  void *block = take(48);
  take(16);
  free(block);
  for (size_t bytes : {16U, 32U, 64U, 512U}) EXPECT_NE(take(bytes), block);
  EXPECT_EQ(take(41), block) << "41 bytes take as many granules as 48";
}

TEST_F(SmallHeapTest, FreeBlocksCarryTheMarkAndLiveOnesDoNot) {
  auto *block = static_cast<Block *>(take(32));
  EXPECT_FALSE(user.heap.looks_free(block));
  free(block);
  EXPECT_TRUE(user.heap.looks_free(block));
  ASSERT_EQ(take(32), block);
  EXPECT_FALSE(user.heap.looks_free(block));
}

TEST_F(SmallHeapTest, AlignedBlocksAreAlignedAndWholly) {
  for (size_t align : {16U, 32U, 64U})
    for (unsigned size = 1; size <= kSmallClasses; ++size)
      for (int i = 0; i < 5; ++i) {
        take(16); // so that the next granule is rarely aligned
        void *block = user.heap.allocate_aligned(size, align);
        ASSERT_NE(block, nullptr);
        held.push_back(block);
        EXPECT_EQ(address_of(block) % align, 0U);
        EXPECT_EQ(SmallHeapUser::size_of(block), size);
      }
  for (void *block : held) EXPECT_TRUE(SmallHeapUser::map_of(block).valid());
}

TEST_F(SmallHeapTest, TheLatestBlockGrowsWhereItLies) {
  void *older = take(32);
  void *latest = take(32);
  EXPECT_FALSE(user.heap.extend_latest(address_of(older), 2, 3));
  EXPECT_TRUE(user.heap.extend_latest(address_of(latest), 2, 6));
  EXPECT_EQ(SmallHeapUser::size_of(latest), 6U);
  EXPECT_EQ(address_of(take(16)), address_of(latest) + 96);
}

TEST_F(SmallHeapTest, EmptiedPagesServeOtherSizes) {
  const std::vector<void *> blocks = take_many(8 * kBlocksOf64InSpan, 64);
  const size_t full = pages_taken.value();
  for (size_t i = 0; i < blocks.size(); ++i)
    if (i % kBlocksOf64InSpan != 0) free(blocks[i]); // one stays in every span
  user.heap.close(); // what waits in the bins goes to the maps, as at a thread's end
  take_many(7 * kPagesInUnit * (kPageBytes / 400), 400);
  EXPECT_EQ(pages_taken.value(), full) << "the room of the old blocks takes the new ones";
}

TEST_F(SmallHeapTest, HolesBetweenLiveBlocksServeOtherSizes) {
  const std::vector<void *> blocks = take_many(8 * kBlocksOf64InSpan, 64);
  const size_t full = pages_taken.value();
  for (size_t i = 0; i < blocks.size(); ++i)
    if (i % 4 != 0) free(blocks[i]);
  user.heap.close();
  take_many(6 * kBlocksOf64InSpan / 4, 192); // three freed neighbours are one hole
  EXPECT_LE(pages_taken.value(), full + kPagesInUnit);
}

TEST_F(SmallHeapTest, SpansWithoutABlockGoBack) {
  const std::vector<void *> blocks = take_many(8 * kBlocksOf64InSpan, 64);
  EXPECT_GE(pages_taken.value(), taken_before + 8 * kPagesInUnit);
  for (void *block : blocks) free(block);
  EXPECT_LE(pages_taken.value(), taken_before + 2 * kPagesInUnit)
      << "all but what the bin and the cursor hold, without being asked to";
}

TEST_F(SmallHeapTest, EmptyPagesOfSpansInUseGoBackAtTheSecondLook) {
  const std::vector<void *> blocks = take_many(2 * kBlocksOf64InSpan, 64);
  const Address span = round_down(address_of(blocks.front()), kUnitBytes);
  ASSERT_EQ(round_down(address_of(blocks[kBlocksOf64InSpan - 1]), kUnitBytes), span);
  EXPECT_EQ(test::resident_pages(span, kUnitBytes), kPagesInUnit);
  for (size_t i = 1; i < kBlocksOf64InSpan; ++i) {
    std::erase(held, blocks[i]);
    user.free_to_map(blocks[i]);
  }
  for (int look = 0; look < 2; ++look) user.heap.decay(~0U);
  EXPECT_EQ(test::resident_pages(span, kUnitBytes), 1U) << "the page of the one block that is left";
}

TEST_F(SmallHeapTest, OverfullBinsGiveTheirOlderHalfBack) {
  const std::vector<void *> blocks = take_many(1000, 64);
  for (void *block : blocks) free(block);
  const auto waiting = static_cast<size_t>(user.heap.bin(4).count());
  EXPECT_GT(waiting, 0U);
  EXPECT_LE(waiting, static_cast<size_t>(user.heap.bin(4).most));
  EXPECT_EQ(take(64), blocks.back()) << "the latest is still the first to go";
}

TEST_F(SmallHeapTest, ABlockThatIsNotThereCannotBeGivenBack) {
  void *block = take(64);
  EXPECT_DEATH(user.free_to_map(static_cast<char *>(block) + 16), "free\\(0x[0-9a-f]+\\): ");
  EXPECT_DEATH(
      {
        user.free_to_map(block);
        user.free_to_map(block);
      },
      "free\\(0x[0-9a-f]+\\): ");
}

TEST_F(SmallHeapTest, AnAllocationThatAForkCutOffIsMended) {
  void *block = take(64);
  SmallMap &map = SmallHeapUser::map_of(block);
  const uint32_t next = granule_in_page(address_of(block)) + 4;
  reinterpret_cast<uint64_t *>(&map)[next / 64] |= uint64_t{1} << (next % 64); // begun, not ended
  ASSERT_FALSE(map.valid());
  user.heap.mend_after_fork();
  EXPECT_TRUE(map.valid());
  EXPECT_EQ(map.blocks(), 1U);
}

TEST_F(SmallHeapTest, BlocksKeepTheirContentsThroughRandomChanges) {
  struct Held {
    void *memory;
    size_t bytes;
  };
  support::Random random(6);
  std::vector<Held> blocks;
  for (int step = 0; step < 60000; ++step) {
    const bool grow = step / 10000 % 2 == 0; // the heap fills and empties in turn
    if (blocks.empty() || random.below(10) < (grow ? 7U : 3U)) {
      const size_t bytes = random.below(kSmallMax) + 1;
      void *memory = random.below(8) == 0
                         ? user.heap.allocate_aligned(SmallHeap::class_of(bytes), 64)
                         : user.take(bytes);
      ASSERT_NE(memory, nullptr);
      support::fill(memory, bytes, address_of(memory));
      blocks.push_back({memory, bytes});
    } else {
      const size_t index = random.below(blocks.size());
      const Held gone = blocks[index];
      ASSERT_TRUE(support::holds(gone.memory, gone.bytes, address_of(gone.memory)))
          << "step " << step;
      random.below(8) == 0 ? user.free_to_map(gone.memory) : user.free(gone.memory);
      blocks[index] = blocks.back();
      blocks.pop_back();
    }
    if (step % 1000 == 0) user.heap.decay(~0U);
  }
  for (const Held &block : blocks) {
    EXPECT_TRUE(support::holds(block.memory, block.bytes, address_of(block.memory)));
    user.free(block.memory);
  }
}

} // namespace
} // namespace abut::heap
