// Minimisation: the nodes of a list lie in as few blocks as can be, in any order (Adcock 2009, 6.3.1). At most one block of
// a list has free cells; where a node goes from another, one of that block's takes its cell. So every node must be found
// from its owner: nodes have a link back.
#pragma once

#include "parts/cluster.hpp"

#include <vector>

namespace adcock::move {

// `Back` is the member of a node that names the node before it, kNoCell for the first.
template <typename Heap, typename Links, auto Back>
class MinimisedLists {
public:
  using Numbers = typename Heap::Numbers;
  static constexpr Needs needs() {
    return Newblock<Level::page, Level::heap>::needs() | Lowest<Level::cell, Level::page>::needs();
  }

  MinimisedLists(Heap &heap, CellId *roots, std::uint32_t count)
      : structure_(heap, roots, count), partial_(count, kNoPage) {}

  // A cell for a node of a list.
  CellId allocate(std::uint32_t root) {
    Heap &heap = structure_.heap();
    PageId &block = partial_[root];
    if (!found(block)) block = heap.empty_page();
    const CellId cell = heap.find(Lowest<Level::cell, Level::page>{}, block);
    if (heap.is_full(block)) block = kNoPage;
    return cell;
  }
  // The node's cell is free again; it is out of its list.
  void free(std::uint32_t root, CellId cell) {
    Heap &heap = structure_.heap();
    const PageId home = Numbers::page_of(cell);
    PageId &block = partial_[root];
    if (!found(block) || block == home) {
      heap.free(cell);
      block = heap.count(home) == 0 ? kNoPage : home;
      return;
    }
    const CellId from = any_node(block);
    if (found(heap[from].*Back))
      structure_.set({heap[from].*Back, 0}, cell);
    else
      structure_.set({kNoCell, root}, cell);
    relocate<Links>(heap, from, cell);
    if (const CellId next = Links::get(heap, cell, 0); found(next)) heap[next].*Back = cell;
    heap.free(from);
    if (heap.count(block) == 0) block = kNoPage;
  }

private:
  CellId any_node(PageId block) const {
    for (std::uint32_t i = 0;; ++i) {
      const LineId line = Numbers::line(block, i);
      if (const auto mask = structure_.heap().mask(line); mask != 0)
        return Numbers::cell(line, static_cast<std::uint32_t>(std::countr_zero(mask)));
    }
  }

  Structure<Heap, Links> structure_;
  std::vector<PageId> partial_;
};

} // namespace adcock::move
