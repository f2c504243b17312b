// The parts that manage pages and memory, each alone.
#include "allocators/layers/carved_lists.hpp"
#include "allocators/layers/chunk_lists.hpp"
#include "allocators/layers/classes.hpp"
#include "allocators/layers/counted.hpp"
#include "allocators/layers/direct.hpp"
#include "allocators/layers/locked.hpp"
#include "allocators/layers/quick_lists.hpp"
#include "allocators/layers/regions.hpp"
#include "allocators/layers/run_orders.hpp"
#include "allocators/layers/segregated_pages.hpp"
#include "allocators/layers/sources.hpp"
#include "support/random.hpp"

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

template <template <class> class Order>
std::vector<char *> fill_three_pages(SegregatedPages<Pages8<Order>, Blocks> &pages) {
  std::vector<char *> blocks;
  for (int i = 0; i < 3 * 64; ++i) blocks.push_back(static_cast<char *>(pages.allocate(64, 8)));
  return blocks;
}

TEST(SegregatedPages, UseTheBlockThatWasFullLast) {
  Blocks manager(AreaKind::runs);
  SegregatedPages<Pages8<NewestFirst>, Blocks> pages(manager, Grain::eight);
  const std::vector<char *> blocks = fill_three_pages<NewestFirst>(pages);
  pages.release(blocks[0]);
  pages.release(blocks[150]);
  EXPECT_EQ(pages.allocate(64, 8), blocks[150]);
  EXPECT_EQ(pages.allocate(64, 8), blocks[0]);
}

TEST(SegregatedPages, UseTheLowestBlock) {
  Blocks manager(AreaKind::runs);
  SegregatedPages<Pages8<LowestFirst>, Blocks> pages(manager, Grain::eight);
  const std::vector<char *> blocks = fill_three_pages<LowestFirst>(pages);
  pages.release(blocks[0]);
  pages.release(blocks[150]);
  EXPECT_EQ(pages.allocate(64, 8), blocks[0]);
  EXPECT_EQ(pages.allocate(64, 8), blocks[150]);
}

TEST(SegregatedPages, GiveEmptyPagesBackAtOnce) {
  Blocks manager(AreaKind::runs);
  SegregatedPages<Pages8<NewestFirst>, Blocks> pages(manager, Grain::eight);
  const std::vector<char *> blocks = fill_three_pages<NewestFirst>(pages);
  EXPECT_EQ(manager.taken().n, 3U);
  for (char *block : blocks) EXPECT_EQ(pages.release(block), Release::done);
  EXPECT_EQ(manager.taken().n, 0U);
  EXPECT_EQ(pages.release(blocks[0]), Release::not_a_block);
}

TEST(SegregatedPages, RefuseWhatIsNoBlock) {
  Blocks manager(AreaKind::runs);
  SegregatedPages<Pages8<NewestFirst>, Blocks> pages(manager, Grain::eight);
  auto *block = static_cast<char *>(pages.allocate(24, 8));
  EXPECT_EQ(pages.usable(block), 24U);
  EXPECT_EQ(pages.usable(block + 8), 0U);
  EXPECT_EQ(pages.release(block + 8), Release::not_a_block);
}

struct Coalescing {
  using Index = LogBins;
  static constexpr size_t kLeast = 32;
  static constexpr bool kBump = true;
  static constexpr bool kDiscard = false;
};
using Chunks = Regions<Coalescing, WholeAreas>;

TEST(Regions, SplitAndCoalesce) {
  Chunks chunks(Grain::sixteen, {});
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
  Chunks chunks(Grain::sixteen, {});
  auto *block = static_cast<char *>(chunks.allocate(100, 16));
  chunks.allocate(100, 16);
  EXPECT_EQ(chunks.release(block + 8), Release::not_a_block);
  EXPECT_EQ(chunks.release(block), Release::done);
  EXPECT_EQ(chunks.release(block), Release::already_free);
}

TEST(Regions, AlignInsideAChunk) {
  Chunks chunks(Grain::eight, {});
  support::Random random(3);
  for (size_t align = 8; align <= 4096; align *= 2) {
    void *block = chunks.allocate(1 + random.below(300), align);
    EXPECT_EQ(address_of(block) % align, 0U);
    EXPECT_EQ(chunks.release(block), Release::done);
  }
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
  QuickLists<Chunks, 64, 504> heap(Grain::sixteen, WholeAreas{});
  void *first = heap.allocate(40, 16);
  void *second = heap.allocate(40, 16);
  heap.allocate(16, 16);
  heap.release(first);
  heap.release(second);
  EXPECT_EQ(heap.allocate(40, 16), second) << "the last one first";
  heap.release(second);
  EXPECT_EQ(heap.allocate(80, 16), first) << "both together, coalesced";
}

TEST(CarvedLists, KeepBlocksInTheirClass) {
  CarvedLists<PowerOfTwoClasses<32, 65536>, BumpedPages> heap(Grain::sixteen);
  void *block = heap.allocate(100, 16);
  EXPECT_EQ(heap.usable(block), 112U);
  EXPECT_EQ(heap.release(block), Release::done);
  EXPECT_EQ(heap.release(block), Release::not_a_block);
  EXPECT_NE(heap.allocate(30, 16), block);
  EXPECT_EQ(heap.allocate(112, 16), block);
  EXPECT_EQ(address_of(heap.allocate(100, 1024)) % 1024, 0U);
}

TEST(Direct, KnowsItsBlocksAndUnmapsThem) {
  Direct heap;
  for (const size_t align : {size_t{16}, size_t{4096}, MiB}) {
    auto *block = static_cast<char *>(heap.allocate(100'000, align));
    EXPECT_EQ(address_of(block) % align, 0U);
    EXPECT_GE(heap.usable(block), 100'000U);
    block[99'999] = 1;
    EXPECT_EQ(heap.usable(block + 16), 0U);
    EXPECT_EQ(heap.release(block), Release::done);
    EXPECT_EQ(heap.release(block), Release::not_a_block);
  }
  EXPECT_EQ(heap.mapped(), 0U);
  EXPECT_EQ(heap.allocate(~size_t{0} - 100, 16), nullptr);
}

TEST(Counted, CountsWhatIsAskedFor) {
  Counted<Direct> heap;
  void *block = heap.allocate(1000, 16);
  heap.release(block);
  heap.release(block);
  EXPECT_EQ(heap.counts().allocations, 1U);
  EXPECT_EQ(heap.counts().releases, 1U);
  EXPECT_EQ(heap.counts().requested, 1000U);
  EXPECT_EQ(heap.counts().live_bytes, 0U);
  EXPECT_GE(heap.counts().most_live_bytes, 1000U);
  EXPECT_EQ(heap.allocate(~size_t{0} - 100, 16), nullptr);
  EXPECT_EQ(heap.counts().refusals, 1U);
}

TEST(Sources, HandOutWhatCanBeFoundAgain) {
  using Manager = PageManager<Nothing, RunsByLength>;
  Manager manager(AreaKind::chunks);
  PageRegions<Manager, 20> regions(manager);
  static_assert(RegionSource<PageRegions<Manager, 20>>);
  auto *region = static_cast<char *>(regions.take(100));
  EXPECT_EQ(regions.length_of(region + 5000), 20 * kPageBytes);
  EXPECT_EQ(regions.begin_of(region + 20 * kPageBytes - 1), address_of(region));
  auto *longer = static_cast<char *>(regions.take(30 * kPageBytes));
  EXPECT_EQ(regions.length_of(longer), 30 * kPageBytes);
  regions.give(region, 0);
  EXPECT_EQ(regions.begin_of(region), 0U);

  WholeAreas areas;
  auto *area = static_cast<char *>(areas.take(100));
  EXPECT_EQ(areas.begin_of(area + 5 * MiB), address_of(area));
  EXPECT_EQ(kind_of(area), AreaKind::chunks);
  areas.give(area, 0);
  EXPECT_EQ(kind_of(area), AreaKind::none);
  EXPECT_EQ(areas.take(kAreaBytes + 1), nullptr);

  BumpedPages bumped;
  auto *page = static_cast<char *>(bumped.take(100));
  EXPECT_EQ(bumped.take(5000), page + kPageBytes);
  EXPECT_EQ(bumped.take(1), page + 3 * kPageBytes);
  bumped.give(page, 0);
  EXPECT_NE(bumped.take(1), page) << "nothing is ever given back";
}

// A heap that notices whether the lock around it is held.
struct Watchful {
  os::SpinLock *lock = nullptr;
  int times_held = 0;

  void look() {
    if (lock->try_lock())
      lock->unlock();
    else
      ++times_held;
  }
  void *allocate(size_t, size_t) { return look(), nullptr; }
  Release release(void *) { return look(), Release::done; }
  size_t usable(const void *) { return look(), size_t{0}; }
};

TEST(Locked, HoldsItsLockAroundEveryCall) {
  Locked<Watchful> heap;
  heap.below().lock = &heap.lock();
  heap.allocate(1, 1);
  heap.release(nullptr);
  heap.usable(nullptr);
  EXPECT_EQ(heap.below().times_held, 3);
  heap.below().look();
  EXPECT_EQ(heap.below().times_held, 3) << "and only around them";
}

TEST(Locked, ServesAsTheHeapBelow) {
  Locked<Direct> heap;
  void *block = heap.allocate(1000, 16);
  EXPECT_GE(heap.usable(block), 1000U);
  EXPECT_TRUE(heap.lock().try_lock());
  heap.lock().unlock();
  EXPECT_EQ(heap.release(block), Release::done);
}

} // namespace
} // namespace abut::layers
