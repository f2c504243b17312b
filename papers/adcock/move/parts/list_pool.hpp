// The nodes of doubly linked lists, kept in blocks: every block holds one stretch of one list, nearly in order. Of the
// layouts that Adcock 2009, 6.3.2, names and leaves untried this is the one with gaps: a block that comes to be has its
// free cells spread over its lines, so that an insertion mostly finds one in the line where it belongs. What overflows
// shares with the next block or is parted; what has become nearly empty joins the next block.
#pragma once

#include "../handles.hpp"
#include "../links.hpp"

#include <array>

namespace adcock::move {

// How the nodes of a list are laid out.
struct ListLayout {
  std::uint32_t block_bytes = 4096;
  // False: no node ever moves, pointers and iterators stay good as std::list's do, and order is kept less well.
  bool moves = true;
};

template <typename T>
struct ListNode {
  CellId next;
  CellId previous;
  alignas(T) std::byte value[sizeof(T)];

  T &get() { return *std::launder(reinterpret_cast<T *>(value)); }
  const T &get() const { return *std::launder(reinterpret_cast<const T *>(value)); }
};

struct ListEnds {
  CellId first = kNoCell;
  CellId last = kNoCell;
  std::size_t size = 0;
};

template <typename T, ListLayout Layout, typename Memory = PageMemory>
class ListPool {
public:
  using Node = ListNode<T>;
  static constexpr bool kMoves = Layout.moves && std::is_nothrow_move_constructible_v<T>;
  static constexpr Needs kNeeds =
      Cyclic<Level::cell, Level::page>::needs() | Newblock<Level::page, Level::heap>::needs();
  using Heap = RdsHeap<Node, Geometry{64, Layout.block_bytes}, kNeeds, ReserveOf<Memory>>;
  using Numbers = typename Heap::Numbers;
  static constexpr unsigned kBlock = Numbers::kCellsPerPage;

  explicit ListPool(const Memory &memory = Memory())
      : heap(Heap::kMostCells, ReserveChoice<Memory>::make(memory)) {}
  Memory memory() const { return ReserveChoice<Memory>::memory(heap.reserve()); }

  Heap heap;
  HandleTable handles;

  Node &operator[](CellId cell) { return heap[cell]; }
  const Node &operator[](CellId cell) const { return heap[cell]; }

  // A cell for a node between two neighbours, in use. May move nodes, so the neighbours' cells may change.
  CellId allocate(ListEnds &ends, CellId &before, CellId &after) {
    const CellId hint = found(before) ? before : after;
    if (!found(hint)) return in_new_block();
    if (const CellId cell = near(before, after); found(cell)) return cell;
    if (!found(after) || !found(before)) return in_new_block(); // the ends grow into new blocks
    if constexpr (kMoves) {
      split(ends, before, after);
      if (const CellId cell = near(before, after); found(cell)) return cell;
    }
    return in_new_block();
  }

  void link(ListEnds &ends, CellId cell, CellId before, CellId after) noexcept {
    heap[cell].previous = before;
    heap[cell].next = after;
    set_next(ends, before, cell);
    set_previous(ends, after, cell);
    ++ends.size;
  }
  void unlink(ListEnds &ends, CellId cell) noexcept {
    const Node &node = heap[cell];
    set_next(ends, node.previous, node.next);
    set_previous(ends, node.next, node.previous);
    --ends.size;
  }
  // The nodes [from, to) of one list, so many, come to stand before `after` in another.
  void transfer(ListEnds &ends, CellId after, ListEnds &others, CellId from, CellId to,
                std::size_t count) noexcept {
    if (&ends == &others && (after == from || after == to)) return;
    const CellId last = found(to) ? heap[to].previous : others.last;
    set_next(others, heap[from].previous, to);
    set_previous(others, to, heap[from].previous);
    others.size -= count;
    const CellId before = found(after) ? heap[after].previous : ends.last;
    heap[from].previous = before;
    heap[last].next = after;
    set_next(ends, before, from);
    set_previous(ends, after, last);
    ends.size += count;
  }
  // The value has been destroyed and the node unlinked. `next` follows it and may move.
  void free(ListEnds &ends, CellId cell, CellId &next) noexcept {
    const PageId block = Numbers::page_of(cell);
    handles.gone(cell);
    const CellId previous = heap[cell].previous;
    heap.free(cell);
    if constexpr (kMoves) {
      if (heap.count(block) * 4 < kBlock && heap.count(block) > 0)
        join(ends, block, previous, next);
    }
  }

  // Destroys a whole list.
  void release(ListEnds &ends) noexcept {
    for (CellId cell = ends.first; found(cell);) {
      const CellId next = heap[cell].next;
      handles.gone(cell);
      heap[cell].get().~T();
      heap.free(cell);
      cell = next;
    }
    ends = {};
  }

  // Moves the nodes of a list into fresh blocks, in order.
  void relayout(ListEnds &ends) {
    CellId cell = ends.first;
    PageId block = kNoPage;
    while (found(cell)) {
      const CellId next = heap[cell].next;
      if (!found(block) || heap.is_full(block)) block = heap.empty_page();
      if (!found(block)) throw HeapIsFull();
      move_to(ends, cell, heap.find(Lowest<Level::cell, Level::page>{}, block));
      cell = next;
    }
  }

  // Links the elements again in the order into which `arrange` puts their cells; then lays the list out.
  template <typename Arrange>
  void reorder(ListEnds &ends, Arrange arrange) {
    std::vector<CellId> cells;
    for (CellId cell = ends.first; found(cell); cell = heap[cell].next) cells.push_back(cell);
    arrange(cells, [this](auto &less) {
      return [this, &less](CellId one, CellId other) {
        return less(heap[one].get(), heap[other].get());
      };
    });
    ListEnds arranged;
    for (const CellId cell : cells) link(arranged, cell, arranged.last, kNoCell);
    ends = arranged;
    if constexpr (kMoves) relayout(ends);
  }

  // Ends the program where links do not agree, or a block holds anything beside one stretch of the list. The latter does
  // not hold of what was spliced. For tests.
  void check(const ListEnds &ends) const {
    std::size_t nodes = 0;
    CellId before = kNoCell;
    for (CellId cell = ends.first; found(cell);) {
      const PageId block = Numbers::page_of(cell);
      unsigned here = 0;
      for (; found(cell) && Numbers::page_of(cell) == block; cell = heap[cell].next, ++here) {
        require(heap[cell].previous == before, "a link back that leads elsewhere");
        before = cell;
      }
      require(here == heap.count(block), "a block with more than a stretch");
      nodes += here;
    }
    require(before == ends.last && nodes == ends.size, "a list with other ends");
  }

  // Says that the walk has come to this block: it will be used up, in whatever order.
  void prefetch_block(CellId cell) const {
    const auto *line = static_cast<const std::byte *>(
        heap.address(Numbers::cell(Numbers::line(Numbers::page_of(cell), 0), 0)));
    for (std::uint32_t i = 0; i < Numbers::kLinesPerPage; ++i)
      __builtin_prefetch(line + std::size_t{i} * Numbers::kGeometry.line_bytes);
  }

private:
  CellId near(CellId before, CellId after) {
    if (found(before))
      if (const CellId cell = heap.take_nearest(Numbers::line_of(before)); found(cell)) return cell;
    return found(after) ? heap.take_nearest(Numbers::line_of(after)) : kNoCell;
  }
  // An empty block to move nodes to; where there is no memory for it, they stay.
  PageId page_if_any() noexcept {
    try {
      return heap.empty_page();
    } catch (...) {
      return kNoPage;
    }
  }
  CellId in_new_block() {
    const PageId block = heap.empty_page();
    if (!found(block)) throw HeapIsFull();
    return heap.take(Numbers::line(block, 0));
  }

  void set_next(ListEnds &ends, CellId cell, CellId next) noexcept {
    if (found(cell))
      heap[cell].next = next;
    else
      ends.first = next;
  }
  void set_previous(ListEnds &ends, CellId cell, CellId previous) noexcept {
    if (found(cell))
      heap[cell].previous = previous;
    else
      ends.last = previous;
  }

  // Moves one node into a cell that is in use for it.
  void move_to(ListEnds &ends, CellId from, CellId to) noexcept {
    Node &old = heap[from];
    Node &node = heap[to];
    node.next = old.next;
    node.previous = old.previous;
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::memcpy(node.value, old.value, sizeof(T));
    } else {
      ::new (static_cast<void *>(node.value)) T(std::move(old.get()));
      old.get().~T();
    }
    set_next(ends, node.previous, to);
    set_previous(ends, node.next, to);
    handles.moved(from, to);
    heap.free(from);
  }

  // The nodes of a list that lie in one block, in order.
  struct Stretch {
    std::array<CellId, 2 * kBlock> cells;
    unsigned count = 0;
  };
  CellId start_of_stretch(CellId cell) const {
    const PageId block = Numbers::page_of(cell);
    while (found(heap[cell].previous) && Numbers::page_of(heap[cell].previous) == block)
      cell = heap[cell].previous;
    return cell;
  }
  // Adds the stretch that begins at `cell`; what follows it.
  CellId add_stretch(CellId cell, Stretch &stretch) const {
    const PageId block = Numbers::page_of(cell);
    for (; found(cell) && Numbers::page_of(cell) == block; cell = heap[cell].next)
      stretch.cells[stretch.count++] = cell;
    return cell;
  }

  // Moves the nodes [from, to) of a stretch into an empty block, in order, with the gaps spread evenly.
  template <typename Follow>
  void lay_out(ListEnds &ends, const Stretch &stretch, unsigned from, unsigned to, PageId block,
               Follow follow) noexcept {
    for (unsigned i = from; i < to; ++i) {
      const std::uint32_t line = (i - from) * Numbers::kLinesPerPage / (to - from);
      const CellId cell = heap.take(Numbers::line(block, line));
      move_to(ends, stretch.cells[i], cell);
      follow(stretch.cells[i], cell);
    }
  }

  // Makes room in the full block of `before`: two blocks in place of it, or of it and the next if that has room.
  void split(ListEnds &ends, CellId &before, CellId &after) {
    Stretch stretch;
    const CellId beyond = add_stretch(start_of_stretch(before), stretch);
    if (found(beyond) && heap.count(Numbers::page_of(beyond)) * 3 < kBlock * 2)
      add_stretch(beyond, stretch);
    if (stretch.count < 2) return;
    const auto follow = [&](CellId from, CellId to) {
      if (from == before) before = to;
      if (from == after) after = to;
    };
    const PageId one = page_if_any();
    if (!found(one)) return;
    lay_out(ends, stretch, 0, stretch.count / 2, one, follow);
    const PageId other = page_if_any();
    if (!found(other)) return;
    lay_out(ends, stretch, stretch.count / 2, stretch.count, other, follow);
  }

  // Moves what is left of a block to the block of the stretch's neighbour, if there is room to spare.
  void join(ListEnds &ends, PageId block, CellId previous, CellId &next) noexcept {
    const bool goes_on = found(next) && Numbers::page_of(next) == block;
    Stretch stretch;
    const CellId start = start_of_stretch(goes_on ? next : previous);
    const CellId beyond = add_stretch(start, stretch);
    if (!found(beyond) || heap.count(Numbers::page_of(beyond)) + stretch.count > kBlock / 2) return;
    add_stretch(beyond, stretch);
    const PageId fresh = page_if_any();
    if (!found(fresh)) return;
    lay_out(ends, stretch, 0, stretch.count, fresh, [&](CellId from, CellId to) {
      if (from == next) next = to;
    });
  }
};

} // namespace adcock::move
