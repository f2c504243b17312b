// What a heap of cells knows of its blocks: which cells are used, and beside that only what `What` asks for (Adcock
// 2009, 4.2.4: bit fields, counts, list sets). The thesis generated C for each choice; here the compiler leaves out
// what a choice does not need. All tables lie beside the cells, so that lines are full of nodes.
#pragma once

#include "levels.hpp"
#include "list_set.hpp"
#include "operations.hpp"
#include "reserve.hpp"

#include <array>
#include <cassert>
#include <cstring>

namespace adcock::move {

// Overwrites a node that has gone, so that who still looks at it notices, where assertions are checked.
inline void poison([[maybe_unused]] void *node, [[maybe_unused]] std::size_t bytes) {
#ifndef NDEBUG
  std::memset(node, 0xdb, bytes);
#endif
}

template <std::size_t NodeBytes, Geometry Wanted, Needs What>
class HeapTables {
public:
  using Numbers = Numbering<NodeBytes, Wanted>;
  static constexpr std::uint32_t kCells = Numbers::kCellsPerLine;
  static constexpr std::uint32_t kLines = Numbers::kLinesPerPage;
  static constexpr std::uint32_t kPageCells = Numbers::kCellsPerPage;
  static constexpr std::size_t kMostPages = (std::size_t{1} << 28) / kPageCells + 2;
  // A bit a cell of a line: set where the cell is used.
  using Mask = std::conditional_t<(kCells <= 8), std::uint8_t, std::uint64_t>;
  static constexpr Mask kFull = static_cast<Mask>(~std::uint64_t{0} >> (64 - kCells));

  // ---- what it knows ----

  std::size_t nodes() const { return nodes_; }
  std::uint32_t pages() const { return pages_; }
  bool in_use(CellId cell) const {
    return number(Numbers::page_of(cell)) < pages_ &&
           (masks_[number(Numbers::line_of(cell))] >> Numbers::slot_of(cell) & 1u) != 0;
  }
  Mask mask(LineId line) const { return masks_[number(line)]; }
  unsigned count(LineId line) const { return static_cast<unsigned>(std::popcount(mask(line))); }
  unsigned space(LineId line) const { return kCells - count(line); }
  bool is_full(LineId line) const { return mask(line) == kFull; }
  unsigned count(PageId page) const {
    if constexpr (What.page_counts()) return facts_[number(page)].count;
    unsigned sum = 0;
    for (std::uint32_t i = 0; i < kLines; ++i) sum += count(Numbers::line(page, i));
    return sum;
  }
  unsigned space(PageId page) const { return kPageCells - count(page); }
  bool is_full(PageId page) const { return count(page) == kPageCells; }

  // Which of two spaces a page belongs to (5.3: from-space and to-space as sets of pages).
  unsigned space_of(PageId page) const { return facts_[number(page)].space; }
  unsigned space_of(CellId cell) const { return space_of(Numbers::page_of(cell)); }
  void set_space(PageId page, unsigned space) {
    facts_[number(page)].space = static_cast<std::uint8_t>(space);
  }

  // ---- changes that keep all of it true ----

  // Uses the cells of `added` and leaves those of `removed`, all of one line.
  void change(LineId line, Mask added, Mask removed) {
    Mask &mask = masks_[number(line)];
    const unsigned before = static_cast<unsigned>(std::popcount(mask));
    assert((mask & added) == 0 && (mask & removed) == removed && "taken or freed twice");
    mask = static_cast<Mask>((mask | added) & ~removed);
    const unsigned after = static_cast<unsigned>(std::popcount(mask));
    nodes_ += std::size_t{after} - before;
    if constexpr (What.any(Needs::kCellList)) record_cells(line, added, removed);
    if (after != before) record_count(line, before, after);
  }
  void use(CellId cell) { change(Numbers::line_of(cell), bit(cell), 0); }
  static constexpr Mask bit(CellId cell) {
    return static_cast<Mask>(std::uint64_t{1} << Numbers::slot_of(cell));
  }

  // For a mover that fills and empties whole lines and has everything put right once, at the end: see rebuild.
  void set_mask_unnoted(LineId line, Mask mask) { masks_[number(line)] = mask; }

  // Computes everything again from the masks. Empty pages and lines are then served from the lowest up.
  void rebuild() {
    line_set_.clear();
    page_set_.clear();
    cell_set_.clear();
    nodes_ = 0;
    for (std::uint32_t page = pages_; page-- > 0;) enter_page(PageId{page});
    --nodes_; // the cell that means: none
  }

protected:
  // What stands for a part that is left out.
  struct Nothing {};
  struct PageFacts {
    [[no_unique_address]] std::conditional_t<What.any(Needs::kLineClassesInPage),
                                             std::array<std::uint64_t, kCells + 1>, Nothing>
        by_count;
    std::uint64_t roomy;
    std::uint16_t count;
    std::uint8_t cursor;
    std::uint8_t space;
  };
  // Which blocks are in the heap's lists: those with fewer nodes than so many. Only empty ones, if no others are sought.
  static constexpr std::uint32_t kListedLines =
      What.any(Needs::kLineClasses | Needs::kRoomyLines) ? kCells : 1;
  static constexpr std::uint32_t kListedPages =
      What.any(Needs::kPageClasses | Needs::kRoomyPages) ? kPageCells : 1;
  using LineClasses = Classing<kCells, What.any(Needs::kLineClasses), 65>;
  using PageClasses = Classing<kPageCells, What.any(Needs::kPageClasses), 17>;
  template <bool Needed, typename T>
  using ArrayIf = std::conditional_t<Needed, ReserveArray<T>, NoArray>;

  void forget_one() { --nodes_; }

  void add_page() {
    const std::size_t lines = std::size_t{pages_ + 1} * kLines;
    const std::size_t cells = lines << Numbers::kCellBits;
    masks_.grow_to(lines, kMostPages * kLines);
    facts_.grow_to(std::size_t{pages_} + 1, kMostPages);
    line_links_.grow_to(lines, kMostPages * kLines);
    page_links_.grow_to(std::size_t{pages_} + 1, kMostPages);
    cell_links_.grow_to(cells, kMostPages * kLines << Numbers::kCellBits);
    enter_page(PageId{pages_++});
  }

  // The last page must be empty.
  void drop_last_page() {
    const PageId page{--pages_};
    for (std::uint32_t i = kLines; i-- > 0;) {
      const LineId line = Numbers::line(page, i);
      if constexpr (What.any_line_list()) line_set_.remove(line_links_, 0, number(line));
      if constexpr (What.any(Needs::kCellList))
        for (std::uint32_t slot = 0; slot < kCells; ++slot)
          cell_set_.remove(cell_links_, 0, number(Numbers::cell(line, slot)));
    }
    if constexpr (What.page_counts()) page_set_.remove(page_links_, 0, number(page));
  }

  ReserveArray<Mask> masks_;
  ReserveArray<PageFacts> facts_;
  ArrayIf<What.any_line_list(), Neighbours> line_links_;
  ArrayIf<What.page_counts(), Neighbours> page_links_;
  ArrayIf<What.any(Needs::kCellList), Neighbours> cell_links_;
  ListSet<LineClasses::kClasses> line_set_;
  ListSet<PageClasses::kClasses> page_set_;
  ListSet<1> cell_set_;

private:
  void record_cells(LineId line, Mask added, Mask removed) {
    for (std::uint32_t slot = 0; slot < kCells; ++slot) {
      const std::uint32_t cell = number(Numbers::cell(line, slot));
      if ((added >> slot & 1u) != 0) cell_set_.remove(cell_links_, 0, cell);
      if ((removed >> slot & 1u) != 0) cell_set_.push(cell_links_, 0, cell);
    }
  }

  void record_count(LineId line, unsigned before, unsigned after) {
    const PageId page = Numbers::page_of(line);
    PageFacts &facts = facts_[number(page)];
    const std::uint64_t bit = std::uint64_t{1} << Numbers::line_in_page(line);
    if constexpr (What.any(Needs::kLinesInPage))
      facts.roomy = after < kCells ? facts.roomy | bit : facts.roomy & ~bit;
    if constexpr (What.any(Needs::kLineClassesInPage)) {
      facts.by_count[before] &= ~bit;
      facts.by_count[after] |= bit;
    }
    if constexpr (What.any_line_list())
      reclass<LineClasses>(line_set_, line_links_, number(line), kListedLines, before, after);
    if constexpr (What.page_counts()) {
      const unsigned page_before = facts.count;
      const unsigned page_after = page_before + after - before;
      facts.count = static_cast<std::uint16_t>(page_after);
      reclass<PageClasses>(page_set_, page_links_, number(page), kListedPages, page_before,
                           page_after);
    }
  }

  template <typename Classes, typename Set, typename Links>
  static void reclass(Set &set, Links &links, std::uint32_t block, unsigned capacity,
                      unsigned before, unsigned after) {
    const bool was_in = before < capacity;
    const bool is_in = after < capacity;
    if (was_in && is_in && Classes::of(before) == Classes::of(after)) return;
    if (was_in) set.remove(links, Classes::of(before), block);
    if (is_in) set.push(links, Classes::of(after), block);
  }

  // Writes down what the masks of a page say.
  void enter_page(PageId page) {
    PageFacts &facts = facts_[number(page)];
    unsigned total = 0;
    if constexpr (What.any(Needs::kLinesInPage)) facts.roomy = 0;
    if constexpr (What.any(Needs::kLineClassesInPage)) facts.by_count = {};
    for (std::uint32_t i = kLines; i-- > 0;) {
      const LineId line = Numbers::line(page, i);
      const unsigned used = count(line);
      total += used;
      const std::uint64_t bit = std::uint64_t{1} << i;
      if constexpr (What.any(Needs::kLinesInPage))
        if (used < kCells) facts.roomy |= bit;
      if constexpr (What.any(Needs::kLineClassesInPage)) facts.by_count[used] |= bit;
      if constexpr (What.any_line_list())
        if (used < kListedLines) line_set_.push(line_links_, LineClasses::of(used), number(line));
      if constexpr (What.any(Needs::kCellList))
        record_cells(line, 0, static_cast<Mask>(kFull & ~mask(line)));
    }
    nodes_ += total;
    if constexpr (What.page_counts()) {
      facts.count = static_cast<std::uint16_t>(total);
      if (total < kListedPages) page_set_.push(page_links_, PageClasses::of(total), number(page));
    }
  }

  std::size_t nodes_ = 0;
  std::uint32_t pages_ = 0;
};

} // namespace adcock::move
