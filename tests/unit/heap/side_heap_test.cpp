// Heaps beside a thread's own: blocks kept apart, which come and go as all others do.
#include "heap/heap.hpp"
#include "heap/statistics.hpp"
#include "helpers/heap_calls.hpp"
#include "helpers/thread.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <vector>

namespace abut::heap {
namespace {

constexpr size_t kBytes = 48;
constexpr unsigned kSize = kBytes / Granules::kBytes;

void *take(LocalHeap &side) { return side.allocate_in_birth_order(kBytes); }

void release(void *block) {
  if (!heap::release(block)) release_slow("free", block);
}

LocalHeap &own_heap() {
  release(heap::allocate(64)); // so that the thread has one
  return *current;
}

class SideHeapTest : public testing::Test {
protected:
  LocalHeap &keeper = own_heap();
  LocalHeap &side = *heap_registry.open_side(&keeper, 7);
};

TEST_F(SideHeapTest, ItsBlocksShareNoPageWithOthers) {
  std::set<Address> pages, others;
  std::vector<void *> blocks;
  for (int i = 0; i < 2000; ++i) {
    blocks.push_back(take(side));
    pages.insert(address_of(blocks.back()) / kPageBytes);
    blocks.push_back(heap::allocate(kBytes));
    others.insert(address_of(blocks.back()) / kPageBytes);
  }
  for (Address page : pages) EXPECT_EQ(others.count(page), 0U);
  for (void *block : blocks) release(block);
}

TEST_F(SideHeapTest, FreedBlocksComeBackToItAndNobodyElse) {
  void *block = take(side);
  release(block);
  void *other = heap::allocate(kBytes);
  EXPECT_NE(address_of(other) / kPageBytes, address_of(block) / kPageBytes);
  release(other);
}

TEST_F(SideHeapTest, TheOwnerIsFoundByAddress) {
  void *block = take(side);
  void *other = heap::allocate(kBytes);
  int variable = 0;
  EXPECT_EQ(owner_of(block), &side);
  EXPECT_EQ(owner_of(other), &keeper);
  EXPECT_EQ(owner_of(&variable), nullptr);
  const Extent extent = extent_of(&keeper, address_of(block) + 20);
  EXPECT_EQ(extent.begin, address_of(block));
  EXPECT_EQ(extent.end, address_of(block) + kBytes);
  release(block);
  release(other);
}

TEST_F(SideHeapTest, NothingIsPlacedInAPageThatHasBecomeAnotherHeaps) {
  std::vector<void *> kept, freed;
  for (int i = 0; i < 5000; ++i) (i % 4 == 0 ? kept : freed).push_back(take(side));
  for (void *block : freed) release(block);
  const Address beside = address_of(kept[0]);
  {
    std::lock_guard guard(side.lock());
    EXPECT_EQ(keeper.births.take_beside(beside, kSize), nullptr);
    kept.push_back(side.births.take_beside(beside, kSize));
  }
  ASSERT_NE(kept.back(), nullptr);
  for (void *block : kept) release(block);
}

TEST_F(SideHeapTest, BlocksGrowAndTellTheirSize) {
  auto *block = static_cast<char *>(take(side));
  std::memset(block, 0x5a, kBytes);
  EXPECT_EQ(usable_size("test", block), kBytes);
  auto *grown = static_cast<char *>(resize("test", block, 4000).memory);
  ASSERT_NE(grown, nullptr);
  for (size_t i = 0; i < kBytes; ++i) ASSERT_EQ(grown[i], 0x5a);
  release(grown);
}

TEST_F(SideHeapTest, EmptyPagesGoBack) {
  const size_t before = side.births.bytes();
  std::vector<void *> blocks;
  for (int i = 0; i < 20'000; ++i) blocks.push_back(take(side));
  EXPECT_GT(side.births.bytes(), before + 20'000 * kBytes / 2);
  for (void *block : blocks) release(block);
  side.close(); // as when the thread ends
  EXPECT_EQ(side.births.bytes(), 0U);
}

TEST_F(SideHeapTest, OtherThreadsMayFreeItsBlocks) {
  std::vector<void *> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(take(side));
  test::in_thread([&] {
    for (void *block : blocks) release(block);
  });
  side.close();
  EXPECT_EQ(side.births.bytes(), 0U) << "no owner is needed for that";
}

TEST_F(SideHeapTest, ItOutlivesItsThreadWithWhatLivesInIt) {
  void *block = nullptr;
  LocalHeap *left = nullptr;
  test::in_thread([&] {
    LocalHeap &mine = own_heap();
    left = heap_registry.open_side(&mine, 9);
    block = take(*left);
    std::memset(block, 0x33, kBytes);
  });
  EXPECT_TRUE(left->orphan.load());
  EXPECT_EQ(static_cast<char *>(block)[kBytes - 1], 0x33);
  release(block);
  EXPECT_EQ(left->births.bytes(), 0U) << "who frees the last block gives the page back";
  test::in_thread([&] {
    own_heap();
    EXPECT_FALSE(left->orphan.load() && current == left->keeper);
  });
}

TEST_F(SideHeapTest, StatisticsKnowItsBlocksAndNoHeapMore) {
  const Statistics before = count();
  void *block = take(side);
  const Statistics after = count();
  EXPECT_EQ(after.heaps, before.heaps);
  EXPECT_EQ(after.classes[kSize].blocks, before.classes[kSize].blocks + 1);
  release(block);
}

TEST_F(SideHeapTest, ABlockFreedTwiceIsNoticed) {
  void *block = take(side);
  release(block);
  EXPECT_DEATH(release(block), "freed");
}

} // namespace
} // namespace abut::heap
