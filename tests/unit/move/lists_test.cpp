// Layouts and movers of many singly linked lists, against vectors.
#include "adcock/move/clustered_list.hpp"
#include "adcock/move/minimised.hpp"
#include "move/item_lists.hpp"

#include <gtest/gtest.h>

namespace adcock::move {
namespace {

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

} // namespace
} // namespace adcock::move
