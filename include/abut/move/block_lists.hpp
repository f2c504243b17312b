// Singly linked lists whose nodes lie strictly in order in blocks of their own, and which know all that an update needs from
// the block that it is in: the block's first cell holds its count (Adcock 2009, 6.3.2, clustStrict; parted as the half-full
// lists of 2.2.4.2 are). An update moves what lies behind it in the block, which the walk has just brought near; no table
// beside the nodes is read. Walking the list stays as it is: nodes have their links.
#pragma once

#include "links.hpp"

namespace abut::move {

// Nodes, and the blocks they lie in. A cell's number names block and slot; slot 0 is the block's count.
template <typename Node, std::uint32_t BlockBytes>
class BlockHeap {
  static_assert(sizeof(Node) >= sizeof(std::uint32_t) && std::has_single_bit(sizeof(Node)));
  static_assert(std::is_trivially_copyable_v<Node>, "nodes are moved in a row, byte by byte");

public:
  using NodeType = Node;
  static constexpr std::uint32_t kSlots = BlockBytes / sizeof(Node);
  static constexpr std::uint32_t kMost = kSlots - 1; // nodes of a block
  static_assert(kMost >= 3);

  // A block's number.
  enum class Block : std::uint32_t {};

  Node &operator[](CellId cell) { return nodes_[number(cell)]; }
  const Node &operator[](CellId cell) const { return nodes_[number(cell)]; }
  void *address(CellId cell) { return &nodes_[number(cell)]; }

  static Block block_of(CellId cell) { return Block{number(cell) / kSlots}; }
  static std::uint32_t slot_of(CellId cell) { return number(cell) % kSlots; }
  static CellId cell(Block block, std::uint32_t slot) {
    return CellId{static_cast<std::uint32_t>(block) * kSlots + slot};
  }
  std::uint32_t count(Block block) const {
    std::uint32_t count;
    std::memcpy(&count, &nodes_[number(cell(block, 0))], sizeof(count));
    return count;
  }
  void set_count(Block block, std::uint32_t count) {
    std::memcpy(static_cast<void *>(&nodes_[number(cell(block, 0))]), &count, sizeof(count));
  }

  // A block without a node. Throws std::bad_alloc, also beyond 2^32 cells.
  Block take() {
    ++used_;
    if (const Block free = free_; free != Block{0}) {
      free_ = Block{count(free)}; // free blocks are linked through their counts
      set_count(free, 0);
      return free;
    }
    constexpr std::size_t kMostCells = std::size_t{1} << 32;
    nodes_.grow_to((std::size_t{blocks_} + 1) * kSlots, kMostCells - kSlots);
    return Block{blocks_++};
  }
  void free(Block block) {
    --used_;
    set_count(block, static_cast<std::uint32_t>(free_));
    free_ = block;
  }

  std::size_t blocks_in_use() const { return used_; }
  void prefer_huge_pages() { nodes_.prefer_huge_pages(); }

private:
  ReserveArray<Node, MappedReserve> nodes_;
  std::uint32_t blocks_ = 1; // cell 0 means: no cell
  Block free_{0};
  std::size_t used_ = 0;
};

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
    std::uint32_t slot = found(before) ? Heap::slot_of(before) + 1 : 1;
    if (heap_.count(block) == kMost) {
      if (!found(after)) { // the end grows into a new block, so that appending leaves full ones
        const CellId cell = alone(node, kNoCell);
        Links::set(heap_, before, 0, cell);
        return cell;
      }
      const Block other = part(block);
      if (slot > kMost / 2 + 1) {
        block = other;
        slot -= kMost / 2;
      }
    }
    open(block, slot);
    const CellId cell = Heap::cell(block, slot);
    const CellId behind = next(cell);
    heap_[cell] = node;
    Links::set(heap_, cell, 0, behind);
    return cell;
  }

  // Takes out the node behind `before`. Other nodes of its block, and of the next, move.
  void erase(std::uint32_t root, CellId before) {
    const CellId cell = found(before) ? next(before) : roots_[root];
    const Block block = Heap::block_of(cell);
    --nodes_;
    if (heap_.count(block) == 1) {
      if (found(before))
        Links::set(heap_, before, 0, next(cell));
      else
        roots_[root] = next(cell);
      heap_.free(block);
      return;
    }
    close(block, Heap::slot_of(cell));
    if (heap_.count(block) * 8 < kMost * 3) join(block);
  }

  // Ends the program where a list's nodes do not lie in order from each block's start. For tests.
  void check() const {
    for (std::uint32_t root = 0; root < count_; ++root) {
      for (CellId cell = roots_[root]; found(cell);) {
        const Block block = Heap::block_of(cell);
        const std::uint32_t count = heap_.count(block);
        require(Heap::slot_of(cell) == 1 && count >= 1 && count <= kMost, "a block begun midway");
        for (std::uint32_t slot = 1; slot < count; ++slot)
          require(next(Heap::cell(block, slot)) == Heap::cell(block, slot + 1),
                  "nodes out of order");
        cell = next(Heap::cell(block, count));
      }
    }
  }

private:
  CellId next(CellId cell) const { return Links::get(heap_, cell, 0); }

  CellId alone(const Node &node, CellId after) {
    const Block block = heap_.take();
    heap_.set_count(block, 1);
    const CellId cell = Heap::cell(block, 1);
    heap_[cell] = node;
    Links::set(heap_, cell, 0, after);
    return cell;
  }

  // Moves `count` nodes in a row. Their links have to be mended.
  void move(CellId to, CellId from, std::uint32_t count) {
    std::memmove(heap_.address(to), heap_.address(from), count * sizeof(Node));
  }
  // The nodes [from, count] of a block follow each other; what is behind the last is `behind`.
  void chain(Block block, std::uint32_t from, std::uint32_t count, CellId behind) {
    for (std::uint32_t slot = from; slot < count; ++slot)
      Links::set(heap_, Heap::cell(block, slot), 0, Heap::cell(block, slot + 1));
    if (count > 0) Links::set(heap_, Heap::cell(block, count), 0, behind);
    heap_.set_count(block, count);
  }

  // Makes room for a node at `slot`, whose link is set already. The block is not full.
  void open(Block block, std::uint32_t slot) {
    const std::uint32_t count = heap_.count(block);
    const CellId behind = next(Heap::cell(block, count));
    move(Heap::cell(block, slot + 1), Heap::cell(block, slot), count + 1 - slot);
    chain(block, slot > 1 ? slot - 1 : 1, count + 1, behind);
  }
  // Removes the node at `slot`; it is not the block's only one.
  void close(Block block, std::uint32_t slot) {
    const std::uint32_t count = heap_.count(block);
    const CellId behind = next(Heap::cell(block, count));
    move(Heap::cell(block, slot), Heap::cell(block, slot + 1), count - slot);
    chain(block, slot < count ? slot : count - 1, count - 1, behind);
  }

  // Two blocks of a full one; the second.
  Block part(Block block) {
    const Block other = heap_.take();
    const CellId behind = next(Heap::cell(block, kMost));
    constexpr std::uint32_t kHalf = kMost / 2;
    move(Heap::cell(other, 1), Heap::cell(block, kHalf + 1), kMost - kHalf);
    chain(other, 1, kMost - kHalf, behind);
    chain(block, kHalf, kHalf, Heap::cell(other, 1));
    return other;
  }
  // One block of this and the next, if that leaves room to grow.
  void join(Block block) {
    const std::uint32_t count = heap_.count(block);
    const CellId beyond = next(Heap::cell(block, count));
    if (!found(beyond)) return;
    const Block other = Heap::block_of(beyond);
    const std::uint32_t more = heap_.count(other);
    if ((count + more) * 8 > kMost * 7) return;
    const CellId behind = next(Heap::cell(other, more));
    move(Heap::cell(block, count + 1), beyond, more);
    chain(block, count, count + more, behind);
    heap_.free(other);
  }

  CellId *roots_;
  std::uint32_t count_;
  Heap heap_;
  std::size_t nodes_ = 0;
};

} // namespace abut::move
