// The parts that manage pages and memory, each alone.
#include "allocators/layers/chunk_lists.hpp"
#include "allocators/layers/classes.hpp"
#include "allocators/layers/quick_lists.hpp"
#include "allocators/layers/regions.hpp"
#include "allocators/layers/run_orders.hpp"
#include "allocators/layers/segregated_pages.hpp"
#include "allocators/layers/sources.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace abut::layers {
namespace {

Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }

struct Nothing {};
template <template <class> class Order>
using Manager = PageManager<Nothing, Order>;

template <class M>
void check_runs() {
  M manager(AreaKind::runs);
  auto *one = manager.take({1});
  auto *two = manager.take({2});
  auto *three = manager.take({3});
  EXPECT_EQ(two->memory(), one->memory() + kPageBytes);
  EXPECT_EQ(three->memory(), two->memory() + 2 * kPageBytes);
  EXPECT_EQ(M::head_of(reinterpret_cast<void *>(three->memory() + 2 * kPageBytes + 5)), three);
  const Address begin = one->memory();
  std::memset(reinterpret_cast<void *>(begin), 1, 3 * kPageBytes);
  manager.give(one);
  EXPECT_EQ(M::head_of(reinterpret_cast<void *>(begin)), nullptr);
  manager.give(two);
  auto *merged = manager.take({3}); // only together are they so long
  ASSERT_EQ(merged->memory(), begin);
  for (size_t i = 0; i < 3 * kPageBytes; ++i)
    ASSERT_EQ(reinterpret_cast<char *>(begin)[i], 0) << "pages that went back read as zero";
  EXPECT_EQ(manager.taken().n, 6U);
  EXPECT_EQ(manager.take({M::kMost.n + 1}), nullptr);
}

TEST(PageManager, CoalescesAndDiscards) {
  check_runs<Manager<RunsByLength>>();
  check_runs<Manager<RunsByAddress>>();
}

TEST(PageManager, GivesAreasBackThatAreWhollyFree) {
  Manager<RunsByLength> manager(AreaKind::runs);
  auto *first = manager.take(Manager<RunsByLength>::kMost);
  auto *second = manager.take(Manager<RunsByLength>::kMost);
  const void *memory = reinterpret_cast<void *>(second->memory());
  EXPECT_EQ(kind_of(memory), AreaKind::runs);
  manager.give(second);
  EXPECT_EQ(kind_of(memory), AreaKind::none);
  manager.give(first); // the last one is kept
  EXPECT_EQ(kind_of(first), AreaKind::runs);
}

TEST(RunOrders, ByLengthIsBestFitAndByAddressIsFirstFit) {
  Manager<RunsByLength> lengths(AreaKind::runs);
  Manager<RunsByAddress> addresses(AreaKind::runs);
  const auto second_hole = [](auto &manager) {
    auto *wide = manager.take({9});
    manager.take({1});
    auto *narrow = manager.take({2});
    manager.take({1});
    manager.give(wide);
    manager.give(narrow);
    return manager.take({2})->memory() > wide->memory();
  };
  EXPECT_TRUE(second_hole(lengths));
  EXPECT_FALSE(second_hole(addresses));
}

template <template <class> class Order>
using Pages8 = BlockPolicy<EightByteClasses<120>, ReapSlots, Order, 0, false, 1>;
using Blocks = PageManager<PageBlock<ReapSlots>, RunsByLength>;

// The first and another of three full pages have room again: what is allocated then, in that order.
template <template <class> class Order>
void expect_next(const std::vector<size_t> &order) {
  Blocks manager(AreaKind::runs);
  SegregatedPages<Pages8<Order>, Blocks> pages(manager, Grain::eight);
  std::vector<char *> blocks;
  for (int i = 0; i < 3 * 64; ++i) blocks.push_back(static_cast<char *>(pages.allocate(64, 8)));
  EXPECT_EQ(manager.taken().n, 3U);
  for (const size_t freed : {0, 150}) pages.release(blocks[freed]);
  for (const size_t next : order) EXPECT_EQ(pages.allocate(64, 8), blocks[next]);
  for (char *block : blocks) EXPECT_EQ(pages.release(block), Release::done);
  EXPECT_EQ(manager.taken().n, 0U) << "empty pages go back at once";
  EXPECT_EQ(pages.release(blocks[0]), Release::not_a_block);
}

TEST(SegregatedPages, UseTheBlockThatWasFullLastOrTheLowest) {
  expect_next<NewestFirst>({150, 0});
  expect_next<LowestFirst>({0, 150});
}

struct Coalescing {
  using Index = LogBins;
  static constexpr size_t kLeast = 32;
  static constexpr bool kBump = true;
  static constexpr bool kDiscard = false;
};
using Chunks = Regions<Coalescing, WholeAreas>;

TEST(Regions, SplitAndCoalesce) {
  Chunks chunks(Grain::sixteen);
  void *first = chunks.allocate(1000, 16);
  void *second = chunks.allocate(1000, 16);
  void *third = chunks.allocate(1000, 16);
  chunks.allocate(16, 16);
  EXPECT_EQ(address_of(second) - address_of(first), 1008U);
  chunks.release(first);
  chunks.release(third);
  chunks.release(second); // between two free ones
  EXPECT_EQ(chunks.allocate_freed(3008, 16), first);
  EXPECT_EQ(chunks.allocate_freed(1, 16), nullptr);
}

TEST(Regions, NoticeASecondFreeAndWhatIsNoBlock) {
  Chunks chunks(Grain::sixteen);
  auto *block = static_cast<char *>(chunks.allocate(100, 16));
  chunks.allocate(100, 16);
  EXPECT_EQ(chunks.release(block + 8), Release::not_a_block);
  EXPECT_EQ(chunks.release(block), Release::done);
  EXPECT_EQ(chunks.release(block), Release::already_free);
}

struct Discarding : Coalescing {
  static constexpr bool kBump = false;
  static constexpr bool kDiscard = true;
};

TEST(Regions, DiscardThePagesInsideWhatIsFreed) {
  PageManager<Nothing, RunsByLength> manager(AreaKind::chunks);
  using Source = PageRegions<PageManager<Nothing, RunsByLength>, 20>;
  Regions<Discarding, Source> chunks(Grain::eight, Source(manager));
  auto *block = static_cast<char *>(chunks.allocate(20000, 8));
  chunks.allocate(500, 8);
  std::memset(block, 1, 20000);
  chunks.release(block);
  const auto inside = reinterpret_cast<char *>(round_up(address_of(block) + 64, kPageBytes));
  EXPECT_EQ(inside[0], 0);
  EXPECT_EQ(inside[2 * kPageBytes], 0);
  EXPECT_EQ(inside[3 * kPageBytes], 1) << "its end shares this page with the next block";
}

TEST(QuickLists, AreEmptiedByAMediumRequest) {
  QuickLists<Chunks, 64, 504> heap(Grain::sixteen);
  void *first = heap.allocate(40, 16);
  void *second = heap.allocate(40, 16);
  heap.allocate(16, 16);
  heap.release(first);
  heap.release(second);
  EXPECT_EQ(heap.allocate(40, 16), second) << "the last one first";
  heap.release(second);
  EXPECT_EQ(heap.allocate(80, 16), first) << "both together, coalesced";
}

} // namespace
} // namespace abut::layers
