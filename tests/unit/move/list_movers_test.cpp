// Movers of many singly linked lists, against vectors.
#include "adcock/move/list_mover.hpp"
#include "adcock/move/relayout.hpp"
#include "move/item_lists.hpp"

namespace adcock::move {
namespace {

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

TEST(ListMover, PutsListsInOrderWithinItsMemory) {
  ScatteredLists lists(800, 1.3);
  const unsigned before = block_changes(lists);
  ListMover<MovedHeap, ItemLinks> mover(lists.heap, lists.roots, kLists);
  for (int i = 0; i < 60; ++i) {
    mover.step(50);
    lists.expect_same();
  }
  EXPECT_LT(block_changes(lists) * 3, before);
  EXPECT_LE(lists.heap.ratio(), 1.35);
}

TEST(ListMover, MayBeInterruptedAfterEveryList) {
  ScatteredLists lists(300, 1.5);
  ListMover<MovedHeap, ItemLinks> mover(lists.heap, lists.roots, kLists);
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
