// A heap of blocks that know their own state: a block's first cell holds how many nodes it has, where they begin, and which
// block comes next in its list. It is BlockLists' (block_lists.hpp).
#pragma once

#include "../links.hpp"

#include <algorithm>

namespace adcock::move {

// Nodes, and the blocks they lie in. A cell's number names block and slot; slot 0 is the block's count.
template <typename Node, std::uint32_t BlockBytes>
class BlockHeap {
  static_assert(sizeof(Node) >= sizeof(std::uint32_t) && std::has_single_bit(sizeof(Node)));
  static_assert(std::is_trivially_copyable_v<Node>, "nodes are moved in a row, byte by byte");

public:
  using NodeType = Node;
  static constexpr std::uint32_t kSlots = BlockBytes / sizeof(Node);
  static constexpr std::uint32_t kMost = kSlots - 1; // nodes of a block
  static_assert(kMost >= 3 && kSlots <= 0x10000);
  // A block's first cell holds the count, and where it is long enough the next block.
  static constexpr bool kNamesNext = sizeof(Node) >= 2 * sizeof(std::uint32_t);

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
  std::uint32_t count(Block block) const { return header(block) & 0xffffu; }
  // The slot of the block's first node.
  std::uint32_t start(Block block) const { return header(block) >> 16; }
  Block set(Block block, std::uint32_t start, std::uint32_t count) {
    set_header(block, start << 16 | count);
    return block;
  }

  // The block behind one in its list, where nodes have room for its number; Block{0} if there is none, or no room.
  Block next_block(Block block) const {
    std::uint32_t next = 0;
    if constexpr (kNamesNext) std::memcpy(&next, next_address(block), sizeof(next));
    return Block{next};
  }
  void set_next_block(Block block, Block next) {
    if constexpr (kNamesNext)
      std::memcpy(const_cast<void *>(next_address(block)), &next, sizeof(next));
  }
  // Says that a walk has come to the first node of a block: what it will come to next is asked for.
  void fetch_ahead(CellId first) const {
    const Block next = next_block(block_of(first));
    if (next == Block{0}) return;
    const auto *line = reinterpret_cast<const std::byte *>(&nodes_[number(cell(next, 0))]);
    for (std::uint32_t i = 0; i < kFetched; ++i) __builtin_prefetch(line + i * 64);
  }

  // A block without a node. Throws std::bad_alloc, also beyond 2^32 cells.
  Block take() {
    ++used_;
    if (const Block free = free_; free != Block{0}) {
      free_ = Block{header(free)}; // free blocks are linked through their counts
      return set(free, 1, 0);
    }
    constexpr std::size_t kMostCells = std::size_t{1} << 32;
    nodes_.grow_to((std::size_t{blocks_} + 1) * kSlots, kMostCells - kSlots);
    return set(Block{blocks_++}, 1, 0);
  }
  void free(Block block) {
    --used_;
    set_header(block, static_cast<std::uint32_t>(free_));
    free_ = block;
  }

  std::size_t blocks_in_use() const { return used_; }
  void prefer_huge_pages() { nodes_.prefer_huge_pages(); }

private:
  static constexpr std::uint32_t kFetched = std::min(BlockBytes / 64, 8u);

  std::uint32_t header(Block block) const {
    std::uint32_t word;
    std::memcpy(&word, &nodes_[number(cell(block, 0))], sizeof(word));
    return word;
  }
  void set_header(Block block, std::uint32_t word) {
    std::memcpy(static_cast<void *>(&nodes_[number(cell(block, 0))]), &word, sizeof(word));
  }
  const void *next_address(Block block) const {
    return reinterpret_cast<const std::byte *>(&nodes_[number(cell(block, 0))]) +
           sizeof(std::uint32_t);
  }

  ReserveArray<Node, MappedReserve> nodes_;
  std::uint32_t blocks_ = 1; // cell 0 means: no cell
  Block free_{0};
  std::size_t used_ = 0;
};

} // namespace adcock::move
