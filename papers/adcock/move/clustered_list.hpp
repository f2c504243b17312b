// Perfect layouts of singly linked lists: after every update the nodes of a list lie in blocks of their own, in order from
// block to block and, if strict, within each (Adcock 2009, 6.3.2: clustStrict, clustNonStrict; simple, and VCL after
// Rubin, Bernstein and Rodeh). Blocks are the heap's pages. All but a list's last block hold at least `least` nodes.
#pragma once

#include "parts/cluster.hpp"

#include <vector>

namespace adcock::move {

enum class Order : std::uint8_t { strict, non_strict };
// What is done where a block runs over: simple passes a node on from block to block; VCL looks so far ahead only as there
// may be full blocks in a row, and spreads their nodes over one block more.
enum class Overflow : std::uint8_t { simple, vcl };

template <typename Heap, typename Links, Order Sorted, Overflow Over>
class ClusteredList {
  static_assert(Links::kLinks == 1);

public:
  using Numbers = typename Heap::Numbers;
  static constexpr unsigned kMost = Numbers::kCellsPerPage;
  static constexpr Needs needs() {
    return Newblock<Level::page, Level::heap>::needs() | Lowest<Level::cell, Level::page>::needs();
  }

  // `least` nodes a block, below the most that fit.
  ClusteredList(Heap &heap, CellId *roots, std::uint32_t count, unsigned least)
      : structure_(heap, roots, count), least_(least) {}

  // Puts a node behind `before` in a list (kNoCell: to its front), made by `make(cell)`.
  template <typename Make>
  void insert(std::uint32_t root, CellId before, Make make) {
    Heap &heap = structure_.heap();
    const Place place = found(before) ? Place{before, 0} : Place{kNoCell, root};
    const CellId after = structure_.at(place);
    const CellId inside = found(before) ? before : after;
    const CellId cell = take(found(inside) ? Numbers::page_of(inside) : kNoPage);
    make(cell);
    Links::set(heap, cell, 0, after);
    structure_.set(place, cell);
    const PageId block = Numbers::page_of(cell);
    if (found(inside) && block != Numbers::page_of(inside)) {
      overflow(root, Numbers::page_of(inside), cell);
    } else if (Sorted == Order::strict) {
      lay_out(block_from(root, block));
    }
  }

  // Takes out the node at the link of `before`; it has been destroyed.
  void erase(std::uint32_t root, CellId before) {
    Heap &heap = structure_.heap();
    const Place place = found(before) ? Place{before, 0} : Place{kNoCell, root};
    const CellId cell = structure_.at(place);
    const PageId block = Numbers::page_of(cell);
    structure_.set(place, Links::get(heap, cell, 0));
    heap.free(cell);
    if (heap.count(block) == 0) return;
    if (heap.count(block) < least_) {
      underflow(root, block);
    } else if (Sorted == Order::strict) {
      lay_out(block_from(root, block));
    }
  }

  // Lays a whole list out again, in full blocks of its own.
  void lay_out_list(std::uint32_t root) {
    Heap &heap = structure_.heap();
    Place place{kNoCell, root};
    PageId block = kNoPage;
    for (CellId node = structure_.at(place); found(node); node = structure_.at(place)) {
      if (!found(block) || heap.is_full(block)) block = heap.empty_page();
      const CellId to = heap.find(Lowest<Level::cell, Level::page>{}, block);
      relocate<Links>(heap, node, to);
      structure_.set(place, to);
      heap.free(node);
      place = {to, 0};
    }
  }

private:
  // The nodes of one block in order, and the place that holds the first.
  struct Block {
    Place start;
    PageId page;
    std::vector<CellId> cells;
    Place end() const { return {cells.back(), 0}; }
  };

  static CellId slot(PageId page, std::uint32_t index) {
    return Numbers::cell(Numbers::line(page, index / Numbers::kCellsPerLine),
                         index % Numbers::kCellsPerLine);
  }

  Block block_at(Place place) const {
    const Heap &heap = structure_.heap();
    Block block{place, Numbers::page_of(structure_.at(place)), {}};
    for (CellId cell = structure_.at(place); found(cell) && Numbers::page_of(cell) == block.page;
         cell = Links::get(heap, cell, 0))
      block.cells.push_back(cell);
    return block;
  }
  // A block of a list, found from the list's front.
  Block block_from(std::uint32_t root, PageId page) const {
    Place place{kNoCell, root};
    while (Numbers::page_of(structure_.at(place)) != page) place = {structure_.at(place), 0};
    return block_at(place);
  }

  // A cell of the block, or of a new one if it is full.
  CellId take(PageId block) {
    Heap &heap = structure_.heap();
    if (found(block))
      if (const CellId cell = heap.find(Lowest<Level::cell, Level::page>{}, block); found(cell))
        return cell;
    return heap.find(Lowest<Level::cell, Level::page>{}, heap.empty_page());
  }

  // Nodes that follow each other, and the blocks that they are to lie in, with how many in each.
  struct Plan {
    Place start;
    std::vector<CellId> cells;
    std::vector<PageId> pages;
    std::vector<std::size_t> sizes;

    void add(const Block &block) {
      cells.insert(cells.end(), block.cells.begin(), block.cells.end());
      pages.push_back(block.page);
      sizes.push_back(block.cells.size());
    }
    void make_even() {
      std::size_t left = cells.size();
      for (std::size_t i = 0; i < pages.size(); ++i) {
        sizes[i] = left / (pages.size() - i);
        left -= sizes[i];
      }
    }
  };

  // Sorts a block in itself: the nodes are the first cells, in order.
  void lay_out(const Block &block) {
    Plan plan{block.start, {}, {}, {}};
    plan.add(block);
    carry_out(plan);
  }

  // Moves what is not where it should be: in its block, and if strict, in its cell.
  void carry_out(const Plan &plan) {
    using Node = typename Heap::NodeType;
    static_assert(std::is_trivially_copyable_v<Node>, "nodes change places through a buffer");
    Heap &heap = structure_.heap();
    const CellId after = Links::get(heap, plan.cells.back(), 0);
    std::vector<std::pair<CellId, Node>> waiting;
    each(plan, [&](CellId cell, PageId page, std::size_t index) {
      if (!stays(cell, page, index)) waiting.emplace_back(cell, heap[cell]);
    });
    for (const auto &[cell, node] : waiting) heap.free(cell);
    Place place = plan.start;
    std::size_t next = 0;
    each(plan, [&](CellId cell, PageId page, std::size_t /*index*/) {
      if (next < waiting.size() && waiting[next].first == cell) {
        cell = heap.find(Lowest<Level::cell, Level::page>{}, page);
        ::new (heap.address(cell)) Node(waiting[next++].second);
      }
      structure_.set(place, cell);
      place = {cell, 0};
    });
    structure_.set(place, after);
  }
  template <typename Visit>
  static void each(const Plan &plan, Visit visit) {
    std::size_t node = 0;
    for (std::size_t block = 0; block < plan.pages.size(); ++block)
      for (std::size_t i = 0; i < plan.sizes[block]; ++i)
        visit(plan.cells[node++], plan.pages[block], i);
  }
  static bool stays(CellId cell, PageId page, std::size_t index) {
    if constexpr (Sorted == Order::strict)
      return cell == slot(page, static_cast<std::uint32_t>(index));
    return Numbers::page_of(cell) == page;
  }

  // The block is full, and one node more, among its own or at either end, lies in a page by itself.
  void overflow(std::uint32_t root, PageId full, CellId extra) {
    Plan plan{{kNoCell, root}, {}, {full}, {kMost}};
    const auto belongs = [&](CellId cell) {
      return cell == extra || Numbers::page_of(cell) == full;
    };
    while (!belongs(structure_.at(plan.start))) plan.start = {structure_.at(plan.start), 0};
    Place place = plan.start;
    for (CellId cell = structure_.at(place); found(cell) && belongs(cell);
         cell = structure_.at(place)) {
      plan.cells.push_back(cell);
      place = {cell, 0};
    }
    bool has_room = false;
    // VCL passes so many full blocks in a row before it makes new ones.
    const std::size_t reach = Over == Overflow::vcl ? std::max(least_, 1u) : ~std::size_t{0};
    while (found(structure_.at(place)) && !has_room && plan.pages.size() < reach) {
      const Block next = block_at(place);
      plan.add(next);
      has_room = next.cells.size() < kMost;
      place = next.end();
    }
    if (has_room) {
      ++plan.sizes.back(); // one node passes on from each block to the next
    } else {
      plan.pages.push_back(Numbers::page_of(extra));
      plan.sizes.push_back(1);
    }
    const bool at_end = !found(structure_.at(place));
    if (!has_room && (Over == Overflow::vcl || !at_end)) plan.make_even();
    carry_out(plan);
  }

  // The block has too few nodes: the next gives it one, and so on, until one has enough or is the last.
  void underflow(std::uint32_t root, PageId few) {
    const Block block = block_from(root, few);
    Plan plan{block.start, {}, {}, {}};
    plan.add(block);
    Place place = block.end();
    while (plan.sizes.back() < least_ && found(structure_.at(place))) {
      const Block next = block_at(place);
      plan.add(next);
      place = next.end();
      const std::size_t last = plan.sizes.size() - 1;
      if (Over == Overflow::vcl && plan.sizes[last - 1] + plan.sizes[last] <= kMost) {
        plan.sizes[last - 1] += plan.sizes[last]; // both fit into one
        plan.pages.pop_back();
        plan.sizes.pop_back();
        break;
      }
      ++plan.sizes[last - 1];
      if (--plan.sizes[last] == 0) {
        plan.pages.pop_back();
        plan.sizes.pop_back();
      }
    }
    carry_out(plan);
  }

  Structure<Heap, Links> structure_;
  unsigned least_;
};

} // namespace adcock::move
