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
  using Tables::kLines;
  using Tables::kPageCells;
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

  template <Choice How>
  CellId find_within(Find<How, Level::cell, Level::line> /*operation*/, LineId line) {
    if (this->is_full(line)) return kNoCell;
    const std::uint64_t free =
        static_cast<typename Tables::Mask>(Tables::kFull & ~this->mask(line));
    std::uint32_t slot;
    if constexpr (How == Choice::cyclic) {
      slot = next_bit(free, this->slot_cursors_[number(line)]);
      this->slot_cursors_[number(line)] = static_cast<std::uint8_t>(slot + 1);
    } else {
      slot = static_cast<std::uint32_t>(std::countr_zero(free));
    }
    const CellId cell = Numbers::cell(line, slot);
    this->use(cell);
    return cell;
  }

  // ---- in a page ----

  template <Choice How>
  LineId find_within(Find<How, Level::line, Level::page> /*operation*/, PageId page) {
    auto &facts = this->facts_[number(page)];
    if constexpr (How == Choice::newblock) {
      return line_of_bits(page, facts.by_count[0]);
    } else if constexpr (How == Choice::emptiest) {
      for (unsigned used = 0; used < kCells; ++used)
        if (facts.by_count[used] != 0) return line_of_bits(page, facts.by_count[used]);
      return kNoLine;
    } else if constexpr (How == Choice::fullest) {
      for (unsigned used = kCells; used-- > 0;)
        if (facts.by_count[used] != 0) return line_of_bits(page, facts.by_count[used]);
      return kNoLine;
    } else if constexpr (How == Choice::cyclic) {
      if (facts.roomy == 0) return kNoLine;
      const std::uint32_t index = next_bit(facts.roomy, facts.line_cursor);
      facts.line_cursor = static_cast<std::uint8_t>(index);
      return Numbers::line(page, index);
    } else {
      return line_of_bits(page, facts.roomy);
    }
  }

  template <Choice How>
  CellId find_within(Find<How, Level::cell, Level::page> /*operation*/, PageId page) {
    auto &facts = this->facts_[number(page)];
    if (facts.roomy == 0) return kNoCell;
    if constexpr (How == Choice::cyclic) {
      const std::uint32_t index = next_bit(facts.roomy, facts.cell_cursor / kCells);
      facts.cell_cursor = static_cast<std::uint16_t>(index * kCells);
      return take_lowest(Numbers::line(page, index));
    } else {
      return take_lowest(line_of_bits(page, facts.roomy));
    }
  }

  // ---- in the heap ----

  template <Choice How, Level X>
  auto find_in_heap(Find<How, X, Level::heap> operation) {
    if constexpr (How == Choice::lowest || How == Choice::cyclic) {
      const PageId page = scan<How>();
      if constexpr (X == Level::page) {
        return page;
      } else {
        if (page == kNoPage) return nothing(operation);
        return find_within(Lowest<X, Level::page>{}, page);
      }
    } else if constexpr (X == Level::cell) {
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

  // A cell of the line, or of the nearest line of its page that has one (ccmalloc-closest, 4.1.1); kNoCell if the page is
  // full.
  CellId take_nearest(LineId line) {
    static_assert(What.lines_in_page);
    if (!this->is_full(line)) return take_lowest(line);
    const PageId page = Numbers::page_of(line);
    const std::uint64_t roomy = this->facts_[number(page)].roomy;
    if (roomy == 0) return kNoCell;
    const std::uint32_t here = Numbers::line_in_page(line);
    const std::uint64_t later = roomy >> here << here;
    const std::uint64_t earlier = roomy & ~later;
    const int up = later != 0 ? std::countr_zero(later) - static_cast<int>(here) : 64;
    const int down = earlier != 0 ? static_cast<int>(here) - 63 + std::countl_zero(earlier) : 64;
    return take_lowest(Numbers::line(page, up <= down ? here + static_cast<std::uint32_t>(up)
                                                      : here - static_cast<std::uint32_t>(down)));
  }

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

  // The lowest set bit at or after `from`, or else the lowest of all. `bits` is not 0.
  static std::uint32_t next_bit(std::uint64_t bits, std::uint32_t from) {
    const std::uint64_t later = from < 64 ? bits & (~std::uint64_t{0} << from) : 0;
    return static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : bits));
  }

  template <Choice How>
  PageId scan() {
    const std::uint32_t words = (this->pages() + 63) / 64;
    const std::uint32_t start = How == Choice::cyclic ? this->heap_cursor_ : 0;
    for (std::uint32_t i = 0; i < words; ++i) {
      std::uint32_t word = start + i;
      if (word >= words) word -= words;
      if (const std::uint64_t bits = this->page_bits_[word]) {
        if constexpr (How == Choice::cyclic) this->heap_cursor_ = word;
        return PageId{word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits))};
      }
    }
    return kNoPage;
  }
};

} // namespace adcock::move
