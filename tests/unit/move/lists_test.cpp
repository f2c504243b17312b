// Layouts and movers of many singly linked lists, against vectors.
#include "adcock/move/clustered_list.hpp"
#include "adcock/move/list_mover.hpp"
#include "adcock/move/minimised.hpp"
#include "adcock/move/relayout.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace adcock::move {
namespace {

struct Item {
  CellId next;
  CellId previous;
  std::uint32_t value;
  std::uint32_t more;
};
using ItemLinks = IndexLinks<&Item::next>;
constexpr Geometry kBlocks{64, 256}; // 16 items a block
constexpr std::uint32_t kLists = 5;

template <typename Heap>
class Lists {
public:
  // A place in a list, the node before it, and what the list holds.
  struct Spot {
    std::uint32_t list;
    std::vector<std::uint32_t> &values;
    std::size_t place;
    CellId before;

    void insert(std::uint32_t value) { values.insert(at(), value); }
    void erase() { values.erase(at()); }
    auto at() { return values.begin() + static_cast<std::ptrdiff_t>(place); }
  };
  // Behind the last node, too, if the list is to grow.
  Spot random_spot(bool grows) {
    const auto list = static_cast<std::uint32_t>(random.below(kLists));
    auto &values = model[list];
    const std::size_t place = random.below(values.size() + (grows || values.empty() ? 1 : 0));
    CellId before = kNoCell;
    for (std::size_t i = 0; i < place; ++i) before = i == 0 ? roots[list] : heap[before].next;
    return {list, values, place, before};
  }
  CellId &link(const Spot &spot) {
    return found(spot.before) ? heap[spot.before].next : roots[spot.list];
  }
  void expect_same() const {
    std::size_t nodes = 0;
    for (std::uint32_t list = 0; list < kLists; ++list) {
      CellId cell = roots[list];
      for (const std::uint32_t value : model[list]) {
        ASSERT_TRUE(found(cell));
        ASSERT_EQ(heap[cell].value, value);
        cell = heap[cell].next;
      }
      ASSERT_FALSE(found(cell));
      nodes += model[list].size();
    }
    ASSERT_EQ(heap.nodes(), nodes);
  }

  Heap heap;
  CellId roots[kLists]{};
  std::vector<std::vector<std::uint32_t>> model{kLists};
  support::Random random{3};
};

// The nodes of a list lie in blocks of its own, of `least` or more but in the last; if strict, in order.
template <typename Heap>
void expect_in_blocks(const Heap &heap, CellId node, unsigned least, Order sorted) {
  using Numbers = typename Heap::Numbers;
  while (found(node)) {
    const PageId page = Numbers::page_of(node);
    std::uint32_t nodes = 0;
    for (; found(node) && Numbers::page_of(node) == page; node = ItemLinks::get(heap, node, 0)) {
      const LineId line = Numbers::line(page, nodes / Numbers::kCellsPerLine);
      const CellId slot = Numbers::cell(line, nodes++ % Numbers::kCellsPerLine);
      ASSERT_TRUE(sorted == Order::non_strict || node == slot);
    }
    ASSERT_EQ(heap.count(page), nodes);
    ASSERT_TRUE(!found(node) || nodes >= least);
  }
}

template <Order Sorted, Overflow Over>
void expect_clustered(unsigned least) {
  using Plain = RdsHeap<Item, kBlocks>;
  using Heap = RdsHeap<Item, kBlocks, ClusteredList<Plain, ItemLinks, Sorted, Over>::needs()>;
  Lists<Heap> lists;
  ClusteredList<Heap, ItemLinks, Sorted, Over> layout(lists.heap, lists.roots, kLists, least);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const bool grows = lists.random.below(100) < (i < 2000 ? 60u : 40u);
    auto spot = lists.random_spot(grows);
    if (grows) {
      layout.insert(spot.list, spot.before, [&](CellId cell) {
        lists.heap[cell] = Item{kNoCell, kNoCell, i, 0};
      });
      spot.insert(i);
    } else if (!spot.values.empty()) {
      layout.erase(spot.list, spot.before);
      spot.erase();
    }
    expect_in_blocks(lists.heap, lists.roots[spot.list], least, Sorted);
    // m_worst: all blocks but each list's last hold the least.
    std::size_t blocks = 0;
    for (std::uint32_t page = 0; page < lists.heap.pages(); ++page)
      blocks += lists.heap.count(PageId{page}) > 0 ? 1 : 0;
    ASSERT_LE(blocks * least, lists.heap.nodes() + (kLists + 1) * least) << "m_worst";
    if (i % 20 == 0) lists.expect_same();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ClusteredList, HoldsItsLayoutAfterEveryUpdate) {
  expect_clustered<Order::strict, Overflow::simple>(8);
  expect_clustered<Order::non_strict, Overflow::vcl>(8);
  expect_clustered<Order::non_strict, Overflow::simple>(12);
  expect_clustered<Order::strict, Overflow::vcl>(4);
}

TEST(MinimisedLists, UseAsFewBlocksAsCanBe) {
  using Plain = RdsHeap<Item, kBlocks>;
  using Heap = RdsHeap<Item, kBlocks, MinimisedLists<Plain, ItemLinks, &Item::previous>::needs()>;
  Lists<Heap> lists;
  MinimisedLists<Heap, ItemLinks, &Item::previous> layout(lists.heap, lists.roots, kLists);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    auto spot = lists.random_spot(true);
    CellId &link = lists.link(spot);
    if (spot.values.size() < 30 || lists.random.below(2) == 0) {
      const CellId next = link;
      const CellId cell = layout.allocate(spot.list);
      lists.heap[cell] = Item{next, spot.before, i, 0};
      link = cell;
      if (found(next)) lists.heap[next].previous = cell;
      spot.insert(i);
    } else if (spot.place < spot.values.size()) {
      const CellId cell = link;
      link = lists.heap[cell].next;
      if (found(link)) lists.heap[link].previous = spot.before;
      layout.free(spot.list, cell);
      spot.erase();
    }
    std::vector<std::uint32_t> blocks;
    for (CellId at = lists.roots[spot.list]; found(at); at = lists.heap[at].next)
      blocks.push_back(number(Heap::Numbers::page_of(at)));
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    ASSERT_EQ(blocks.size(), (spot.values.size() + 15) / 16);
    if (i % 20 == 0) lists.expect_same();
    if (testing::Test::HasFatalFailure()) return;
  }
}

using MovedHeap = RdsHeap<Item, kBlocks, ListMover<RdsHeap<Item, kBlocks>, ItemLinks>::needs()>;

CellId cell_anywhere(MovedHeap &heap) {
  const PageId page = heap.find(Emptiest<Level::page, Level::heap>{});
  return heap.find(Lowest<Level::cell, Level::page>{}, page);
}
// Lists whose nodes lie anywhere.
class ScatteredLists : public Lists<MovedHeap> {
public:
  explicit ScatteredLists(std::uint32_t nodes, double ratio = 0) {
    heap.bound_ratio(ratio);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const auto list = static_cast<std::uint32_t>(random.below(kLists));
      const CellId cell = cell_anywhere(heap);
      heap[cell] = Item{roots[list], kNoCell, i, 0};
      roots[list] = cell;
      model[list].insert(model[list].begin(), i);
    }
  }
};
unsigned block_changes(const Lists<MovedHeap> &lists) {
  unsigned changes = 0;
  for (CellId cell = lists.roots[0]; found(cell); cell = lists.heap[cell].next) {
    const CellId next = lists.heap[cell].next;
    changes +=
        found(next) && MovedHeap::Numbers::page_of(next) != MovedHeap::Numbers::page_of(cell);
  }
  return changes;
}

TEST(ListMover, PutsListsInOrderWithinItsMemoryThoughInterrupted) {
  ScatteredLists lists(800, 1.3);
  const unsigned before = block_changes(lists);
  ListMover<MovedHeap, ItemLinks> mover(lists.heap, lists.roots, kLists);
  for (int i = 0; i < 60; ++i) mover.step(50);
  EXPECT_LT(block_changes(lists) * 3, before);
  EXPECT_LE(lists.heap.ratio(), 1.35);
  for (std::uint32_t i = 0; i < 600; ++i) {
    mover.step(1);
    auto spot = lists.random_spot(false);
    CellId &link = lists.link(spot);
    const CellId cell = link;
    if (i % 2 == 0) {
      link = lists.heap[cell].next;
      lists.heap.free(cell);
      spot.erase();
    } else {
      link = cell_anywhere(lists.heap);
      lists.heap[link] = Item{cell, kNoCell, i, 0};
      spot.insert(i);
    }
    lists.expect_same();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ListMover, MovesAlongAWalk) {
  for (const bool compacts : {false, true}) {
    ScatteredLists lists(800, 1.5);
    const unsigned before = block_changes(lists);
    ListMover<MovedHeap, ItemLinks> mover(lists.heap, lists.roots, kLists, {4, compacts});
    for (int i = 0; i < 40; ++i) {
      mover.begin_walk();
      Place place{kNoCell, static_cast<std::uint32_t>(i) % kLists};
      for (int steps = 0; steps < 20; ++steps) place = {mover.visit(place), 0};
      mover.end_walk(place, i % 2 == 0 ? Extent::to_end_of_list : Extent::to_end_of_block);
      lists.expect_same();
    }
    EXPECT_LT(block_changes(lists) * 2, before);
  }
}

TEST(Relayout, LaysListsEndToEnd) {
  ScatteredLists lists(800);
  EXPECT_EQ(relayout<ItemLinks>(lists.heap, lists.roots, kLists), 800u);
  lists.expect_same();
  EXPECT_LE(block_changes(lists), lists.model[0].size() / 16 + 1);
}

} // namespace
} // namespace adcock::move
