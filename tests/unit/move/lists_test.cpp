// Layouts and movers of many singly linked lists, against vectors.
#include "adcock/move/clustered_list.hpp"
#include "adcock/move/minimised.hpp"
#include "move/item_lists.hpp"
#include "support/random.hpp"

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
  std::vector<std::vector<std::uint32_t>> model(kLists);
  support::Random random(1);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const auto list = static_cast<std::uint32_t>(random.below(kLists));
    auto &values = model[list];
    const bool grows = random.below(100) < (i < 2000 ? 60u : 40u);
    const std::size_t place = random.below(values.size() + (grows || values.empty() ? 1 : 0));
    const CellId before = place == 0 ? kNoCell : lists.at(list, place - 1);
    if (grows) {
      layout.insert(list, before, [&](CellId cell) {
        lists.heap[cell] = Item{kNoCell, kNoCell, i, 0};
      });
      values.insert(values.begin() + static_cast<long>(place), i);
    } else if (!values.empty()) {
      layout.erase(list, before);
      values.erase(values.begin() + static_cast<long>(place));
    }
    expect_in_blocks(lists.heap, lists.roots[list], least, Sorted);
    // m_worst: all blocks but each list's last hold the least.
    std::size_t blocks = 0;
    for (std::uint32_t page = 0; page < lists.heap.pages(); ++page)
      blocks += lists.heap.count(PageId{page}) > 0 ? 1 : 0;
    ASSERT_LE(blocks * least, lists.heap.nodes() + (kLists + 1) * least) << "m_worst";
    if (i % 20 == 0) lists.expect_same(model);
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
  std::vector<std::vector<std::uint32_t>> model(kLists);
  support::Random random(2);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const auto list = static_cast<std::uint32_t>(random.below(kLists));
    auto &values = model[list];
    const std::size_t place = random.below(values.size() + 1);
    const CellId before = place == 0 ? kNoCell : lists.at(list, place - 1);
    CellId &link = found(before) ? lists.heap[before].next : lists.roots[list];
    if (values.size() < 30 || random.below(2) == 0) {
      const CellId next = link;
      const CellId cell = layout.allocate(list);
      lists.heap[cell] = Item{next, before, i, 0};
      link = cell;
      if (found(next)) lists.heap[next].previous = cell;
      values.insert(values.begin() + static_cast<long>(place), i);
    } else if (place < values.size()) {
      const CellId cell = link;
      link = lists.heap[cell].next;
      if (found(link)) lists.heap[link].previous = before;
      layout.free(list, cell);
      values.erase(values.begin() + static_cast<long>(place));
    }
    std::vector<std::uint32_t> blocks;
    for (CellId at = lists.roots[list]; found(at); at = lists.heap[at].next)
      blocks.push_back(number(Heap::Numbers::page_of(at)));
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    ASSERT_EQ(blocks.size(), (values.size() + 15) / 16);
    if (i % 20 == 0) lists.expect_same(model);
    if (testing::Test::HasFatalFailure()) return;
  }
}

} // namespace
} // namespace adcock::move
