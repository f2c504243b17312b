// Movers of many singly linked lists, against vectors.
#include "adcock/move/list_mover.hpp"
#include "adcock/move/relayout.hpp"
#include "move/item_lists.hpp"
#include "support/random.hpp"

namespace adcock::move {
namespace {

using MovedHeap = RdsHeap<Item, kBlocks, ListMover<RdsHeap<Item, kBlocks>, ItemLinks>::needs()>;

// Lists whose nodes lie anywhere.
std::vector<std::vector<std::uint32_t>> scatter(Lists<MovedHeap> &lists, std::uint32_t nodes) {
  std::vector<std::vector<std::uint32_t>> model(kLists);
  support::Random random(3);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const auto list = static_cast<std::uint32_t>(random.below(kLists));
    const PageId page = lists.heap.find(Emptiest<Level::page, Level::heap>{});
    const CellId cell = lists.heap.find(Lowest<Level::cell, Level::page>{}, page);
    lists.heap[cell] = Item{lists.roots[list], kNoCell, i, 0};
    lists.roots[list] = cell;
    model[list].insert(model[list].begin(), i);
  }
  return model;
}
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
  Lists<MovedHeap> lists;
  lists.heap.bound_ratio(1.3);
  const auto model = scatter(lists, 800);
  const unsigned before = block_changes(lists);
  ListMover<MovedHeap, ItemLinks> mover(lists.heap, lists.roots, kLists);
  for (int i = 0; i < 60; ++i) {
    mover.step(50);
    lists.expect_same(model);
  }
  EXPECT_LT(block_changes(lists) * 3, before);
  EXPECT_LE(lists.heap.ratio(), 1.35);
}

TEST(ListMover, MayBeInterruptedAfterEveryList) {
  Lists<MovedHeap> lists;
  lists.heap.bound_ratio(1.5);
  auto model = scatter(lists, 300);
  ListMover<MovedHeap, ItemLinks> mover(lists.heap, lists.roots, kLists);
  support::Random random(8);
  for (std::uint32_t i = 0; i < 600; ++i) {
    mover.step(1);
    const auto list = static_cast<std::uint32_t>(random.below(kLists));
    auto &values = model[list];
    const std::size_t place = random.below(values.size());
    CellId *link = place == 0 ? &lists.roots[list] : &lists.heap[lists.at(list, place - 1)].next;
    const CellId cell = *link;
    if (i % 2 == 0) {
      *link = lists.heap[cell].next;
      lists.heap.free(cell);
      values.erase(values.begin() + static_cast<long>(place));
    } else {
      const PageId page = lists.heap.find(Emptiest<Level::page, Level::heap>{});
      const CellId fresh = lists.heap.find(Lowest<Level::cell, Level::page>{}, page);
      lists.heap[fresh] = Item{cell, kNoCell, i, 0};
      *link = fresh;
      values.insert(values.begin() + static_cast<long>(place), i);
    }
    lists.expect_same(model);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ListMover, MovesAlongAWalk) {
  for (const bool compacts : {false, true}) {
    Lists<MovedHeap> lists;
    lists.heap.bound_ratio(1.5);
    const auto model = scatter(lists, 800);
    const unsigned before = block_changes(lists);
    ListMover<MovedHeap, ItemLinks> mover(lists.heap, lists.roots, kLists, {4, compacts});
    for (int i = 0; i < 40; ++i) {
      mover.begin_walk();
      Place place{kNoCell, static_cast<std::uint32_t>(i) % kLists};
      for (int steps = 0; steps < 20; ++steps) place = {mover.visit(place), 0};
      mover.end_walk(place, i % 2 == 0 ? Extent::to_end_of_list : Extent::to_end_of_block);
      lists.expect_same(model);
    }
    EXPECT_LT(block_changes(lists) * 2, before);
  }
}

TEST(Relayout, LaysListsEndToEnd) {
  Lists<MovedHeap> lists;
  const auto model = scatter(lists, 800);
  EXPECT_EQ(relayout<ItemLinks>(lists.heap, lists.roots, kLists), 800u);
  lists.expect_same(model);
  EXPECT_LE(block_changes(lists), model[0].size() / 16 + 1);
}

} // namespace
} // namespace adcock::move
