// The parts of the papers' allocators, each alone.
#include "allocators/layers/address_tree.hpp"
#include "allocators/layers/chunk_lists.hpp"
#include "allocators/layers/classes.hpp"
#include "allocators/layers/orders.hpp"
#include "allocators/layers/quick_lists.hpp"
#include "allocators/layers/regions.hpp"
#include "allocators/layers/segregated_pages.hpp"
#include "allocators/layers/slots.hpp"
#include "allocators/layers/sources.hpp"
#include "support/random.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace abut::layers {
namespace {

Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }

struct Page {
  alignas(4096) std::array<char, 4096> bytes;
  Cells cells(uint32_t each) {
    return {reinterpret_cast<Address>(bytes.data()), each, 4096 / each};
  }
};

TEST(BitmapSlots, UseTheLowestAndNoticeASecondFree) {
  Page page;
  BitmapSlots<512> slots;
  const Cells cells = page.cells(16);
  for (int i = 0; i < 200; ++i) slots.take(cells);
  EXPECT_TRUE(slots.give(cells, cells.at(150)));
  EXPECT_TRUE(slots.give(cells, cells.at(7)));
  EXPECT_FALSE(slots.give(cells, cells.at(7)));
  EXPECT_EQ(slots.take(cells), cells.at(7));
  EXPECT_EQ(slots.take(cells), cells.at(150));
}

// Chunks in a stretch of memory, free or not, against an index.
template <class I>
class ChunkIndexTest : public testing::Test {
protected:
  static constexpr size_t kBytes = size_t{1} << 20;
  void SetUp() override { memory.resize(kBytes / 8 + 2); }
  Chunk *make(size_t at, size_t bytes) {
    Chunk *chunk = Chunk::at(reinterpret_cast<Address>(memory.data()) + at);
    chunk->make(bytes);
    return chunk;
  }
  std::vector<uint64_t> memory;
  I index;
};
using FirstFitTree = AddressTree<Fit::first>;
using CartesianTree = AddressTree<Fit::better, TreeOrder::length>;
using Indices =
    testing::Types<BestFitTable<65536>, LogBins, AddressTree<>, FirstFitTree, CartesianTree>;
TYPED_TEST_SUITE(ChunkIndexTest, Indices);

// Best fit is exact for tables; the tree promises the better fit only, and is held to sufficing.
TYPED_TEST(ChunkIndexTest, FindsAChunkWheneverThereIsOne) {
  support::Random random(7);
  std::multimap<size_t, Chunk *> in;
  std::map<Chunk *, size_t> out;
  for (size_t at = 0, bytes = 0; at + 4096 < this->kBytes; at += bytes) {
    bytes = 48 + 16 * random.below(200);
    out[this->make(at, bytes)] = bytes;
  }
  for (int step = 0; step < 20000; ++step) {
    if (!out.empty() && random.below(2) == 0) {
      auto one = out.begin();
      std::advance(one, random.below(std::min<size_t>(out.size(), 8)));
      this->index.add(one->first);
      in.emplace(one->second, one->first);
      out.erase(one);
    } else {
      const size_t wanted = 48 + 8 * random.below(500);
      Chunk *chunk = this->index.take(wanted);
      const auto best = in.lower_bound(wanted);
      ASSERT_EQ(chunk != nullptr, best != in.end());
      if (chunk == nullptr) continue;
      ASSERT_GE(chunk->bytes(), wanted);
      if constexpr (std::is_same_v<TypeParam, BestFitTable<65536>> ||
                    std::is_same_v<TypeParam, LogBins>) {
        ASSERT_EQ(chunk->bytes(), best->first);
      }
      auto [from, to] = in.equal_range(chunk->bytes());
      while (from != to && from->second != chunk) ++from;
      ASSERT_NE(from, to);
      in.erase(from);
      out[chunk] = chunk->bytes();
    }
  }
}

// Addresses that come in order make a plain tree a list; this one must not become one: its calls go as deep as it is, and
// the stack is not that deep.
TEST(AddressTree, StaysShallowWhateverTheOrder) {
  constexpr size_t kChunks = 200'000;
  std::vector<uint64_t> memory(kChunks * 8);
  AddressTree<> tree;
  for (size_t i = 0; i < kChunks; ++i) {
    Chunk *chunk = Chunk::at(reinterpret_cast<Address>(&memory[8 * i]));
    chunk->make(48);
    tree.add(chunk);
  }
  for (size_t i = 0; i < kChunks; ++i) ASSERT_NE(tree.take(48), nullptr);
}

// Free chunks of 64, 256, 128, 512 and 96 bytes, from the lowest address on; 100 bytes are asked for three times.
template <class Tree>
std::vector<size_t> taken_of_five(size_t from = 0) {
  alignas(16) static std::array<uint64_t, 1024> memory;
  Tree tree;
  for (size_t i = 0; const size_t bytes : {64, 256, 128, 512, 96}) {
    Chunk *chunk = Chunk::at(reinterpret_cast<Address>(&memory[from + 100 * i++]));
    chunk->make(bytes);
    tree.add(chunk);
  }
  std::vector<size_t> taken;
  while (Chunk *chunk = tree.take(100)) taken.push_back(chunk->bytes());
  return taken;
}

// The lowest that suffices; and, where the longest is the root, down to the shortest that does: 512 has 256 on its left,
// and that has 128 on its right.
TEST(AddressTree, FitsFirstOrBetter) {
  EXPECT_EQ(taken_of_five<FirstFitTree>(), (std::vector<size_t>{256, 128, 512}));
  EXPECT_EQ(taken_of_five<CartesianTree>(), (std::vector<size_t>{128, 256, 512}));
  // In order of address, what stands above what depends on the addresses: better, not best, so that only the mean is sure.
  size_t of_first = 0;
  for (size_t from = 0; from < 512; from += 2) of_first += taken_of_five<AddressTree<>>(from)[0];
  EXPECT_LT(of_first, 256 * 256U);
}

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
  for (const size_t freed : {0, 150}) pages.release(blocks[freed]);
  for (const size_t next : order) EXPECT_EQ(pages.allocate(64, 8), blocks[next]);
  for (char *block : blocks) EXPECT_EQ(pages.release(block), Release::done);
  for (char *block : blocks)
    EXPECT_EQ(pages.release(block), Release::not_a_block) << "empty pages go back at once";
}

TEST(SegregatedPages, UseTheBlockThatWasFullLastOrTheLowest) {
  expect_next<NewestFirst>({150, 0});
  expect_next<LowestFirst>({0, 150});
}

using Chunks = Regions<LogBins, 32, WholeAreas, true>;

TEST(Regions, NoticeASecondFreeAndWhatIsNoBlock) {
  Chunks chunks(Grain::sixteen);
  auto *block = static_cast<char *>(chunks.allocate(100, 16));
  chunks.allocate(100, 16);
  EXPECT_EQ(chunks.release(block + 8), Release::not_a_block);
  EXPECT_EQ(chunks.release(block), Release::done);
  EXPECT_EQ(chunks.release(block), Release::already_free);
}

TEST(Regions, DiscardThePagesInsideWhatIsFreed) {
  Manager<RunsByLength> manager(AreaKind::chunks);
  using Source = PageRegions<Manager<RunsByLength>, 20>;
  Regions<LogBins, 32, Source, false, true> chunks(Grain::eight, Source(manager));
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
