// The nodes of doubly linked lists, kept in blocks: every block holds one stretch of one list, in any order (Adcock 2009,
// 6.3: clustNonStrict, with blocks that are at least a quarter full). An insertion into a full block moves half of it
// to a new one; an erasure that leaves little moves it to the next block.
#pragma once

#include "handles.hpp"
#include "links.hpp"

#include <array>

namespace abut::move {

// How the nodes of a list are laid out.
struct ListLayout {
  std::uint32_t block_bytes = 1024;
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

template <typename T, ListLayout Layout>
class ListPool {
public:
  using Node = ListNode<T>;
  static constexpr bool kMoves = Layout.moves && std::is_nothrow_move_constructible_v<T>;
  static constexpr Needs kNeeds = Cyclic<Level::cell, Level::page>::needs() |
                                  Newblock<Level::page, Level::heap>::needs();
  using Heap = RdsHeap<Node, Geometry{64, Layout.block_bytes}, kNeeds>;
  using Numbers = typename Heap::Numbers;
  static constexpr unsigned kBlock = Numbers::kCellsPerPage;

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
  // The value has been destroyed and the node unlinked. `next` follows it and may move.
  void free(ListEnds &ends, CellId cell, CellId &next) noexcept {
    const PageId block = Numbers::page_of(cell);
    handles.gone(cell);
    const CellId previous = heap[cell].previous;
    heap.free(cell);
    if constexpr (kMoves) {
      if (heap.count(block) * 4 < kBlock && heap.count(block) > 0) join(ends, block, previous, next);
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
      move_to(ends, cell, block);
      cell = next;
    }
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
    constexpr Cyclic<Level::cell, Level::page> kInBlock;
    if (found(before)) {
      if (const CellId cell = heap.find(kInBlock, Numbers::page_of(before)); found(cell)) return cell;
    }
    if (found(after)) return heap.find(kInBlock, Numbers::page_of(after));
    return kNoCell;
  }
  CellId in_new_block() {
    const PageId block = heap.empty_page();
    if (!found(block)) throw HeapIsFull();
    return heap.take(Numbers::line(block, 0));
  }

  void set_next(ListEnds &ends, CellId cell, CellId next) noexcept {
    if (found(cell)) heap[cell].next = next;
    else ends.first = next;
  }
  void set_previous(ListEnds &ends, CellId cell, CellId previous) noexcept {
    if (found(cell)) heap[cell].previous = previous;
    else ends.last = previous;
  }

  // Moves one node into a block with room; where it is now.
  CellId move_to(ListEnds &ends, CellId from, PageId block) noexcept {
    const CellId to = heap.find(Lowest<Level::cell, Level::page>{}, block);
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
    return to;
  }

  // Moves the later half of the block that `before` is in into a new block.
  void split(ListEnds &ends, CellId &before, CellId &after) {
    const PageId block = Numbers::page_of(before);
    std::array<CellId, kBlock> stretch;
    unsigned count = 0;
    CellId first = before;
    while (found(heap[first].previous) && Numbers::page_of(heap[first].previous) == block)
      first = heap[first].previous;
    for (CellId cell = first; found(cell) && Numbers::page_of(cell) == block && count < kBlock;
         cell = heap[cell].next)
      stretch[count++] = cell;
    if (count < 2) return;
    const PageId other = heap.empty_page();
    if (!found(other)) return;
    for (unsigned i = count / 2; i < count; ++i) {
      const CellId to = move_to(ends, stretch[i], other);
      if (stretch[i] == before) before = to;
      if (stretch[i] == after) after = to;
    }
  }

  // Moves what is left of a block to the block of the stretch's neighbour, if there is room to spare.
  void join(ListEnds &ends, PageId block, CellId previous, CellId &next) noexcept {
    const bool goes_on = found(next) && Numbers::page_of(next) == block;
    CellId cell = goes_on ? next : previous;
    while (found(heap[cell].previous) && Numbers::page_of(heap[cell].previous) == block)
      cell = heap[cell].previous;
    CellId end = cell;
    while (found(end) && Numbers::page_of(end) == block) end = heap[end].next;
    const CellId neighbour = found(end) ? end : heap[cell].previous;
    if (!found(neighbour)) return;
    const PageId target = Numbers::page_of(neighbour);
    if (heap.count(target) + heap.count(block) > kBlock * 3 / 4) return;
    for (unsigned left = heap.count(block); left > 0; --left) {
      const CellId after = heap[cell].next;
      const CellId to = move_to(ends, cell, target);
      if (cell == next) next = to;
      cell = after;
    }
  }
};

} // namespace abut::move
