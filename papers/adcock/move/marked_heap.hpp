// A heap of cells in lines in pages that keeps no table: a free cell is one whose link says so. What is free near a node is
// found by looking at the lines beside it, which whoever came to the node has in the cache; tables, as RdsHeap keeps them,
// would be missed instead, at every update. It offers what GappedLists asks of a heap.
#pragma once

#include "links.hpp"

#include <vector>

namespace adcock::move {

// `Links` has one link; its value `kFreeMark` is the heap's.
template <typename Node, typename Links, Geometry Wanted>
class MarkedHeap {
  static_assert(std::is_trivially_copyable_v<Node> && Links::kLinks == 1);

public:
  using NodeType = Node;
  using Numbers = Numbering<sizeof(Node), Wanted>;
  static_assert(Numbers::kSeamless);
  static constexpr CellId kFreeMark{0xffffffffu};

  Node &operator[](CellId cell) { return nodes_[number(cell)]; }
  const Node &operator[](CellId cell) const { return nodes_[number(cell)]; }
  void *address(CellId cell) { return &nodes_[number(cell)]; }

  bool is_free(CellId cell) const { return Links::get(*this, cell, 0) == kFreeMark; }
  // A bit a cell of the line: set where the cell is free. Without a branch, which no processor could predict.
  std::uint64_t free_in(LineId line) const {
    std::uint64_t free = 0;
    for (std::uint32_t slot = 0; slot < Numbers::kCellsPerLine; ++slot)
      free |= std::uint64_t{is_free(Numbers::cell(line, slot))} << slot;
    return free;
  }
  unsigned count(LineId line) const { return Numbers::kCellsPerLine - bits_in(free_in(line)); }
  bool is_empty(LineId line) const {
    return free_in(line) == ~std::uint64_t{0} >> (64 - Numbers::kCellsPerLine);
  }
  unsigned count(PageId page) const {
    unsigned used = 0;
    for (std::uint32_t i = 0; i < Numbers::kLinesPerPage; ++i)
      used += count(Numbers::line(page, i));
    return used;
  }
  std::size_t nodes() const { return used_; }
  // Cells for each node (the m of 3.3.5).
  double ratio() const {
    const double pages = double(pages_ - 1) - double(empty_.size());
    return used_ == 0 ? 1.0 : pages * Numbers::kCellsPerPage / double(used_);
  }
  void prefer_huge_pages() { nodes_.prefer_huge_pages(); }

  // A free cell of the line; kNoCell if it is full.
  CellId take(LineId line) {
    const std::uint64_t free = free_in(line);
    if (free == 0) return kNoCell;
    const CellId cell = Numbers::cell(line, static_cast<std::uint32_t>(std::countr_zero(free)));
    Links::set(*this, cell, 0, kNoCell);
    ++used_;
    return cell;
  }
  // A free cell of the line, or of the nearest of its page that has one; kNoCell if the page is full.
  CellId take_nearest(LineId line) {
    if (const CellId cell = take(line); found(cell)) return cell;
    const PageId page = Numbers::page_of(line);
    const auto here = static_cast<int>(Numbers::line_in_page(line));
    constexpr auto kLines = static_cast<int>(Numbers::kLinesPerPage);
    for (int distance = 1; distance < kLines; ++distance)
      for (const int there : {here + distance, here - distance}) {
        if (there < 0 || there >= kLines) continue;
        const CellId cell = take(Numbers::line(page, static_cast<std::uint32_t>(there)));
        if (found(cell)) return cell;
      }
    return kNoCell;
  }
  // A page without a node. Throws std::bad_alloc.
  PageId empty_page() {
    if (!empty_.empty()) {
      const PageId page = empty_.back();
      empty_.pop_back();
      return page;
    }
    const PageId page{pages_};
    constexpr std::size_t kMostCells = std::size_t{1} << 32;
    nodes_.grow_to((std::size_t{pages_} + 1) * Numbers::kCellsPerPage,
                   kMostCells - Numbers::kCellsPerPage);
    ++pages_;
    for (std::uint32_t i = 0; i < Numbers::kLinesPerPage; ++i)
      for (std::uint32_t slot = 0; slot < Numbers::kCellsPerLine; ++slot)
        Links::set(*this, Numbers::cell(Numbers::line(page, i), slot), 0, kFreeMark);
    return page;
  }
  // The cell becomes free, and its page another empty one, if it was the last there.
  void free(CellId cell) {
    Links::set(*this, cell, 0, kFreeMark);
    --used_;
    if (!is_empty(Numbers::line_of(cell))) return;
    if (const PageId page = Numbers::page_of(cell); count(page) == 0) empty_.push_back(page);
  }

private:
  ReserveArray<Node, MappedReserve> nodes_;
  std::vector<PageId> empty_;
  std::uint32_t pages_ = 1; // cell 0 means: no cell
  std::size_t used_ = 0;
};

} // namespace adcock::move
