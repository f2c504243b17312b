// Singly linked lists whose nodes lie strictly in order in blocks of their own, and which know all that an update needs from
// the block that it is in: the block's first cell holds its count (Adcock 2009, 6.3.2, clustStrict; parted as the half-full
// lists of 2.2.4.2 are). An update moves what lies behind it in the block, which the walk has just brought near; no table
// beside the nodes is read. Walking the list stays as it is: nodes have their links. Who walks may ask for the block that
// comes next while it is still in this one (`fetch_ahead`), for processors fetch ahead within a page only.
#pragma once

#include "parts/block_heap.hpp"

namespace adcock::move {

// The lists of `roots`, all their nodes in one heap of blocks. `Links` has one link.
template <typename Node, typename Links, std::uint32_t BlockBytes>
class BlockLists {
  static_assert(Links::kLinks == 1);

public:
  using Heap = BlockHeap<Node, BlockBytes>;
  using Block = typename Heap::Block;
  static constexpr std::uint32_t kMost = Heap::kMost;

  BlockLists(CellId *roots, std::uint32_t count) : roots_(roots), count_(count) {}

  Heap &heap() { return heap_; }
  std::size_t nodes() const { return nodes_; }
  // Cells for each node (the m of 3.3.5), counts of blocks included.
  double ratio() const {
    return nodes_ == 0 ? 1.0 : double(heap_.blocks_in_use()) * Heap::kSlots / double(nodes_);
  }

  // Puts a node behind `before` (kNoCell: to the list's front); where it is. Other nodes of its block move.
  CellId insert(std::uint32_t root, CellId before, const Node &node) {
    const CellId after = found(before) ? next(before) : roots_[root];
    ++nodes_;
    if (!found(before) && !found(after)) return roots_[root] = alone(node, kNoCell);
    Block block = Heap::block_of(found(before) ? before : after);
    std::uint32_t slot = found(before) ? Heap::slot_of(before) + 1 : Heap::slot_of(after);
    if (heap_.count(block) == kMost) {
      if (!found(after)) { // the end grows into a new block, so that appending leaves full ones
        const CellId cell = alone(node, kNoCell);
        link(before, cell);
        return cell;
      }
      const Block other = part(block);
      if (slot > kMost / 2 + 1) {
        block = other;
        slot -= kMost / 2;
      }
    }
    const CellId cell = open(root, block, slot - heap_.start(block));
    const CellId behind = next(cell);
    heap_[cell] = node;
    link_within(cell, behind);
    return cell;
  }

  // Takes out the node behind `before`. Other nodes of its block, and of the next, move.
  void erase(std::uint32_t root, CellId before) {
    const CellId cell = found(before) ? next(before) : roots_[root];
    const Block block = Heap::block_of(cell);
    --nodes_;
    if (heap_.count(block) == 1) {
      if (found(before))
        link(before, next(cell));
      else
        roots_[root] = next(cell);
      heap_.free(block);
      return;
    }
    close(root, block, Heap::slot_of(cell) - heap_.start(block));
    if (heap_.count(block) * 8 < kMost * 3) join(root, block);
  }

  // Ends the program where a list's nodes do not lie in order from each block's start. For tests.
  void check() const {
    for (std::uint32_t root = 0; root < count_; ++root) {
      for (CellId cell = roots_[root]; found(cell);) {
        const Block block = Heap::block_of(cell);
        const std::uint32_t count = heap_.count(block);
        const std::uint32_t start = heap_.start(block);
        require(Heap::slot_of(cell) == start && count >= 1 && start + count <= Heap::kSlots &&
                    (start == 1 || cell == roots_[root]),
                "a block begun midway");
        for (std::uint32_t slot = start; slot + 1 < start + count; ++slot)
          require(next(Heap::cell(block, slot)) == Heap::cell(block, slot + 1),
                  "nodes out of order");
        const CellId behind = next(Heap::cell(block, start + count - 1));
        require(!Heap::kNamesNext || heap_.next_block(block) == block_or_none(behind),
                "a block that misleads walks");
        cell = behind;
      }
    }
  }

private:
  CellId next(CellId cell) const { return Links::get(heap_, cell, 0); }
  static Block block_or_none(CellId cell) { return found(cell) ? Heap::block_of(cell) : Block{0}; }

  // The last node of a block is followed by the first of another.
  void link(CellId last, CellId first) {
    Links::set(heap_, last, 0, first);
    heap_.set_next_block(Heap::block_of(last), block_or_none(first));
  }

  void link_within(CellId cell, CellId behind) {
    if (found(behind) && Heap::block_of(behind) == Heap::block_of(cell))
      Links::set(heap_, cell, 0, behind);
    else
      link(cell, behind);
  }

  CellId alone(const Node &node, CellId after) {
    const Block block = heap_.set(heap_.take(), 1, 1);
    const CellId cell = Heap::cell(block, 1);
    heap_[cell] = node;
    link(cell, after);
    return cell;
  }

  // Moves `count` nodes in a row. Their links have to be mended.
  void move(CellId to, CellId from, std::uint32_t count) {
    std::memmove(heap_.address(to), heap_.address(from), count * sizeof(Node));
  }
  // So many nodes of a block, from a slot on, follow each other, and so does the one behind them.
  void chain(Block block, std::uint32_t from, std::uint32_t count) {
    for (std::uint32_t slot = from; slot < from + count; ++slot)
      Links::set(heap_, Heap::cell(block, slot), 0, Heap::cell(block, slot + 1));
  }
  // The same of all that is in a block, with `behind` behind the last.
  void chain_all(Block block, std::uint32_t count, CellId behind) {
    heap_.set(block, 1, count);
    chain(block, 1, count - 1);
    link(Heap::cell(block, count), behind);
  }
  // A list's first block may begin anywhere, for what leads there is the root: its nodes give way to either side.
  bool begins(std::uint32_t root, Block block) const {
    return Heap::block_of(roots_[root]) == block;
  }

  // Makes room for one more behind `before` nodes of the block, which is not full; its cell, with the link set. What was
  // walked over is in the cache, and what comes next not yet: the shorter side gives way.
  CellId open(std::uint32_t root, Block block, std::uint32_t before) {
    const std::uint32_t count = heap_.count(block);
    const std::uint32_t start = heap_.start(block);
    const bool at_end = start + count == Heap::kSlots;
    if (start > 1 && (at_end || before * 2 < count)) {
      move(Heap::cell(block, start - 1), Heap::cell(block, start), before);
      const CellId behind = before == count ? next(Heap::cell(block, start + count - 1)) : kNoCell;
      heap_.set(block, start - 1, count + 1);
      chain(block, start - 1, before + (before < count ? 1 : 0));
      roots_[root] = Heap::cell(block, start - 1);
      if (before == count) link(Heap::cell(block, start + count - 1), behind);
      return Heap::cell(block, start - 1 + before);
    }
    const CellId behind = next(Heap::cell(block, start + count - 1));
    const std::uint32_t slot = start + before;
    move(Heap::cell(block, slot + 1), Heap::cell(block, slot), count - before);
    heap_.set(block, start, count + 1);
    const std::uint32_t from = before == 0 ? slot : slot - 1;
    chain(block, from, start + count - from);
    link(Heap::cell(block, start + count), behind);
    return Heap::cell(block, slot);
  }
  // Removes the node behind `before` others of the block; it is not the only one.
  void close(std::uint32_t root, Block block, std::uint32_t before) {
    const std::uint32_t count = heap_.count(block);
    const std::uint32_t start = heap_.start(block);
    if (before * 2 < count && begins(root, block)) {
      move(Heap::cell(block, start + 1), Heap::cell(block, start), before);
      heap_.set(block, start + 1, count - 1);
      chain(block, start + 1, before);
      roots_[root] = Heap::cell(block, start + 1);
      return;
    }
    const CellId behind = next(Heap::cell(block, start + count - 1));
    const std::uint32_t slot = start + before;
    move(Heap::cell(block, slot), Heap::cell(block, slot + 1), count - 1 - before);
    heap_.set(block, start, count - 1);
    const std::uint32_t from = before == 0 ? slot : slot - 1;
    const std::uint32_t last = start + count - 2;
    if (last > from) chain(block, from, last - from);
    link(Heap::cell(block, last), behind);
  }

  // Two blocks of a full one; the second.
  Block part(Block block) {
    const Block other = heap_.take();
    const CellId behind = next(Heap::cell(block, kMost));
    constexpr std::uint32_t kHalf = kMost / 2;
    move(Heap::cell(other, 1), Heap::cell(block, kHalf + 1), kMost - kHalf);
    chain_all(other, kMost - kHalf, behind);
    heap_.set(block, 1, kHalf);
    link(Heap::cell(block, kHalf), Heap::cell(other, 1));
    return other;
  }
  // One block of this and the next, if that leaves room to grow.
  void join(std::uint32_t root, Block block) {
    const std::uint32_t count = heap_.count(block);
    const std::uint32_t start = heap_.start(block);
    const CellId beyond = next(Heap::cell(block, start + count - 1));
    if (!found(beyond)) return;
    const Block other = Heap::block_of(beyond);
    const std::uint32_t more = heap_.count(other);
    if ((count + more) * 8 > kMost * 7) return;
    const CellId behind = next(Heap::cell(other, more));
    if (start > 1) {
      move(Heap::cell(block, 1), Heap::cell(block, start), count);
      roots_[root] = Heap::cell(block, 1);
    }
    move(Heap::cell(block, count + 1), beyond, more);
    chain_all(block, count + more, behind);
    heap_.free(other);
  }

  CellId *roots_;
  std::uint32_t count_;
  Heap heap_;
  std::size_t nodes_ = 0;
};

} // namespace adcock::move
