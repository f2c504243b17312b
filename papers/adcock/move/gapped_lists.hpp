// Singly linked lists with gaps: each block holds one stretch of one list, nearly in order, and free cells spread among
// its nodes. Of the clusterings that Adcock 2009, 6.3.2, names and leaves untried this is the one whose updates move
// nothing, mostly: an insertion finds a free cell in its neighbour's line, or else near it in the block. A block that is
// full is parted; one that is nearly empty joins the next. Blocks are the heap's pages.
#pragma once

#include "parts/cluster.hpp"

#include <algorithm>
#include <array>

namespace adcock::move {

template <typename Heap, typename Links>
class GappedLists {
  static_assert(Links::kLinks == 1);

public:
  using Numbers = typename Heap::Numbers;
  static constexpr unsigned kMost = Numbers::kCellsPerPage;
  static constexpr Needs needs() {
    return Newblock<Level::page, Level::heap>::needs() | Lowest<Level::cell, Level::page>::needs();
  }

  GappedLists(Heap &heap, CellId *roots, std::uint32_t count) : structure_(heap, roots, count) {}

  // How many nodes were moved since this was made.
  std::size_t moved() const { return moved_; }

  // Puts a node behind `before` in a list (kNoCell: to its front), made by `make(cell)`. Nodes of the block may move.
  template <typename Make>
  void insert(std::uint32_t root, CellId before, Make make) {
    Place place = place_of(root, before);
    CellId after = structure_.at(place);
    CellId cell = cell_between(before, after);
    if (!found(cell)) {
      part(root, Numbers::page_of(found(before) ? before : after), before);
      place = place_of(root, before);
      after = structure_.at(place);
      cell = cell_between(before, after);
    }
    make(cell);
    Links::set(structure_.heap(), cell, 0, after);
    structure_.set(place, cell);
  }

  // Takes out the node at the link of `before`; it has been destroyed. Nodes of its block and the next may move.
  void erase(std::uint32_t root, CellId before) {
    Heap &heap = structure_.heap();
    const Place place = place_of(root, before);
    const CellId cell = structure_.at(place);
    const PageId block = Numbers::page_of(cell);
    structure_.set(place, Links::get(heap, cell, 0));
    heap.free(cell);
    // Only where a line has become empty: to count the block is dearer than an update.
    if (!heap.is_empty(Numbers::line_of(cell))) return;
    const unsigned left = heap.count(block);
    if (left > 0 && left * 3 < kMost) join(root, block);
  }

  // Lays a whole list out again, in blocks that are filled to `percent`.
  void lay_out(std::uint32_t root, unsigned percent = 75) {
    const unsigned wanted = std::max(1u, kMost * percent / 100);
    Place place{kNoCell, root};
    while (found(structure_.at(place))) {
      Stretch stretch;
      CellId cell = structure_.at(place);
      for (; stretch.count < wanted && found(cell); cell = Links::get(structure_.heap(), cell, 0))
        stretch.cells[stretch.count++] = cell;
      place = spread(place, stretch, 0, stretch.count, kNoCell).place;
    }
  }

  // Ends the program where a block holds nodes of two lists, or of two stretches of one. For tests.
  void check(std::uint32_t root) const {
    Place place{kNoCell, root};
    while (found(structure_.at(place))) {
      const PageId block = Numbers::page_of(structure_.at(place));
      const Stretch stretch = stretch_at(place);
      require(stretch.count == structure_.heap().count(block), "a block with more than a stretch");
      place = {stretch.cells[stretch.count - 1], 0};
    }
  }

private:
  struct Stretch {
    std::array<CellId, 2 * kMost> cells;
    unsigned count = 0;
  };
  // The link behind what was laid out, and where a node went that the caller follows.
  struct Laid {
    Place place;
    CellId followed;
  };

  static Place place_of(std::uint32_t root, CellId before) {
    return found(before) ? Place{before, 0} : Place{kNoCell, root};
  }

  CellId cell_between(CellId before, CellId after) {
    Heap &heap = structure_.heap();
    CellId cell = kNoCell;
    if (found(before)) cell = heap.take_nearest(Numbers::line_of(before));
    if (!found(cell) && found(after)) cell = heap.take_nearest(Numbers::line_of(after));
    // At an end of the list a full block is not parted: the list grows into a new one.
    if (!found(cell) && (!found(after) || !found(before)))
      cell = heap.take(Numbers::line(new_block(), 0));
    return cell;
  }
  PageId new_block() {
    const PageId block = structure_.heap().empty_page();
    if (!found(block)) throw HeapIsFull();
    return block;
  }

  // The link that leads into a block of the list.
  Place entry(std::uint32_t root, PageId block) const {
    Place place{kNoCell, root};
    while (Numbers::page_of(structure_.at(place)) != block) place = {structure_.at(place), 0};
    return place;
  }
  void add_stretch(CellId cell, Stretch &stretch) const {
    const PageId block = Numbers::page_of(cell);
    for (; found(cell) && Numbers::page_of(cell) == block;
         cell = Links::get(structure_.heap(), cell, 0))
      stretch.cells[stretch.count++] = cell;
  }
  Stretch stretch_at(Place place) const {
    Stretch stretch;
    add_stretch(structure_.at(place), stretch);
    return stretch;
  }

  // Moves the nodes [from, to) of a stretch into an empty block, evenly spread over its lines; `place` leads to the first.
  Laid spread(Place place, const Stretch &stretch, unsigned from, unsigned to, CellId follow) {
    Heap &heap = structure_.heap();
    const CellId beyond = Links::get(heap, stretch.cells[to - 1], 0);
    const PageId block = new_block();
    Laid laid{place, follow};
    for (unsigned i = from; i < to; ++i) {
      const CellId old = stretch.cells[i];
      const std::uint32_t line = (i - from) * Numbers::kLinesPerPage / (to - from);
      const CellId cell = heap.take(Numbers::line(block, line));
      relocate<Links>(heap, old, cell);
      heap.free(old);
      structure_.set(laid.place, cell);
      if (old == follow) laid.followed = cell;
      laid.place = {cell, 0};
      ++moved_;
    }
    structure_.set(laid.place, beyond);
    return laid;
  }

  // Makes two blocks of one; `before` is followed.
  void part(std::uint32_t root, PageId block, CellId &before) {
    const Place place = entry(root, block);
    const Stretch stretch = stretch_at(place);
    const CellId follow = before;
    const unsigned half = stretch.count / 2;
    const Laid first = spread(place, stretch, 0, half, follow);
    const Laid second = spread(first.place, stretch, half, stretch.count, follow);
    before = first.followed != follow ? first.followed : second.followed;
  }
  // Makes one block of this and the next, if that leaves room to grow.
  void join(std::uint32_t root, PageId block) {
    const Place place = entry(root, block);
    Stretch stretch = stretch_at(place);
    const CellId beyond = Links::get(structure_.heap(), stretch.cells[stretch.count - 1], 0);
    if (!found(beyond)) return;
    const unsigned both = stretch.count + structure_.heap().count(Numbers::page_of(beyond));
    if (both * 4 > kMost * 3) return;
    add_stretch(beyond, stretch);
    spread(place, stretch, 0, stretch.count, kNoCell);
  }

  Structure<Heap, Links> structure_;
  std::size_t moved_ = 0;
};

} // namespace adcock::move
