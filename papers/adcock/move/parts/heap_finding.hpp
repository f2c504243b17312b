// How a heap of cells carries out the operations: find an X in a Y, from the tables (Adcock 2009, 4.2.3). Within a page
// everything is a word of bits, so that `first` is as quick as `lowest` there, and the same; only in the whole heap is
// it a stack of its own.
#pragma once

#include "heap_tables.hpp"

namespace adcock::move {

template <std::size_t NodeBytes, Geometry Wanted, Needs What>
class HeapFinding : public HeapTables<NodeBytes, Wanted, What> {
protected:
  using Tables = HeapTables<NodeBytes, Wanted, What>;
  using Numbers = typename Tables::Numbers;
  using Tables::kCells;
  using Tables::Tables;

  template <Choice How, Level X, Level Y>
  static constexpr auto nothing(Find<How, X, Y> /*operation*/) {
    if constexpr (X == Level::cell)
      return kNoCell;
    else if constexpr (X == Level::line)
      return kNoLine;
    else
      return kNoPage;
  }

  // ---- in a line ----

  CellId find_within(Lowest<Level::cell, Level::line> /*operation*/, LineId line) {
    if (this->is_full(line)) return kNoCell;
    const CellId cell =
        Numbers::cell(line, static_cast<std::uint32_t>(std::countr_one(this->mask(line))));
    this->use(cell);
    return cell;
  }

  // ---- in a page ----

  template <Choice How>
  LineId find_within(Find<How, Level::line, Level::page> /*operation*/, PageId page) {
    const auto &facts = this->facts_[number(page)];
    if constexpr (How == Choice::newblock) {
      return line_of_bits(page, facts.by_count[0]);
    } else if constexpr (How == Choice::emptiest) {
      for (unsigned used = 0; used < kCells; ++used)
        if (facts.by_count[used] != 0) return line_of_bits(page, facts.by_count[used]);
      return kNoLine;
    } else {
      return line_of_bits(page, facts.roomy);
    }
  }

  template <Choice How>
  CellId find_within(Find<How, Level::cell, Level::page> /*operation*/, PageId page) {
    auto &facts = this->facts_[number(page)];
    if (facts.roomy == 0) return kNoCell;
    std::uint64_t bits = facts.roomy;
    if constexpr (How == Choice::cyclic) {
      if (const std::uint64_t later = bits >> facts.cursor << facts.cursor; later != 0)
        bits = later;
      facts.cursor = static_cast<std::uint8_t>(std::countr_zero(bits));
    }
    return take_lowest(line_of_bits(page, bits));
  }

  // ---- in the heap ----

  template <Choice How, Level X>
  auto find_in_heap(Find<How, X, Level::heap> /*operation*/) {
    if constexpr (X == Level::cell) {
      const CellId cell{this->cell_set_.top(0)};
      if (number(cell) == kNobody) return kNoCell;
      this->use(cell);
      return cell;
    } else if constexpr (X == Level::line) {
      return LineId{ranked<How>(this->line_set_)};
    } else {
      return PageId{ranked<How>(this->page_set_)};
    }
  }

  // Whether the heap has an empty X.
  template <Choice How, Level X>
  bool has_empty(Find<How, X, Level::heap> /*operation*/) const {
    if constexpr (X == Level::line)
      return this->line_set_.top(0) != kNobody;
    else
      return this->page_set_.top(0) != kNobody;
  }

  CellId take_lowest(LineId line) { return find_within(Lowest<Level::cell, Level::line>{}, line); }

private:
  template <Choice How, typename Set>
  static std::uint32_t ranked(const Set &set) {
    if constexpr (How == Choice::newblock)
      return set.top(0);
    else if constexpr (How == Choice::emptiest)
      return set.lowest();
    else if constexpr (How == Choice::fullest) {
      return set.highest();
    } else {
      // Any: what is in use before what is empty, so that empty blocks stay whole.
      const std::uint32_t used = set.lowest(1);
      return used != kNobody ? used : set.top(0);
    }
  }

  static LineId line_of_bits(PageId page, std::uint64_t bits) {
    if (bits == 0) return kNoLine;
    return Numbers::line(page, static_cast<std::uint32_t>(std::countr_zero(bits)));
  }
};

} // namespace adcock::move
