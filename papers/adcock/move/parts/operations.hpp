// The operations of a heap of cells, as types: which block of level X to take within a block of level Y (Adcock 2009,
// 4.2.3), and what a heap must keep to carry them out (4.2.4). A heap keeps what the operations chosen need, no more:
// the compiler adds the needs up.
#pragma once

#include "levels.hpp"

namespace adcock::move {

enum class Choice : std::uint8_t {
  lowest,   // in a line or a page: the lowest in memory that is not full
  cyclic,   // in a page: the next that is not full, going round from where the last search ended
  first,    // any that is not full: in the heap the one that most recently became so
  newblock, // one that is empty
  emptiest, // one with the most space
  fullest,  // one with the least space that is not full
};

// What a heap keeps beside the one mask of used cells that each line has.
struct Needs {
  bool cell_list = false;            // all free cells of the heap, in a list through themselves
  bool cell_cursors = false;         // where each page's last search for a cell ended
  bool lines_in_page = false;        // each page's lines that are not full, in a word
  bool line_classes_in_page = false; // each page's lines by how full they are, a word a count
  bool line_list = false;            // the heap's empty lines
  bool roomy_lines = false;          // and those that are neither empty nor full
  bool line_classes = false;         // the heap's lines by how full they are
  bool page_list = false;            // the heap's empty pages
  bool roomy_pages = false;          // and those that are neither empty nor full
  bool page_classes = false;         // the heap's pages by how full they are, in 16 classes

  constexpr bool page_counts() const { return page_list || page_classes; }
  constexpr bool any_line_list() const { return line_list || line_classes; }

  constexpr Needs operator|(const Needs &other) const {
    Needs both = *this;
    both.cell_list |= other.cell_list;
    both.cell_cursors |= other.cell_cursors;
    both.lines_in_page |= other.lines_in_page;
    both.line_classes_in_page |= other.line_classes_in_page;
    both.line_list |= other.line_list;
    both.roomy_lines |= other.roomy_lines;
    both.line_classes |= other.line_classes;
    both.page_list |= other.page_list;
    both.roomy_pages |= other.roomy_pages;
    both.page_classes |= other.page_classes;
    return both;
  }
  constexpr bool operator==(const Needs &) const = default;
};

// find_XY: finds an X in a Y. If X is the cell, it is taken, too.
template <Choice How, Level X, Level Y>
struct Find {
  static_assert(X < Y);
  static_assert(X != Level::cell || How == Choice::lowest || How == Choice::cyclic ||
                    How == Choice::first,
                "a cell holds one node or none: it is neither emptiest nor fullest");
  static_assert(Y != Level::heap || (How != Choice::lowest && How != Choice::cyclic));

  static constexpr Needs needs() {
    Needs needs;
    const bool ranks = How == Choice::emptiest || How == Choice::fullest;
    if (Y == Level::line) {
      // The mask of used cells is enough.
    } else if (Y == Level::page) {
      needs.lines_in_page = How != Choice::emptiest && How != Choice::newblock;
      needs.line_classes_in_page = !needs.lines_in_page;
      needs.cell_cursors = How == Choice::cyclic;
    } else if (X == Level::cell) {
      needs.cell_list = true;
    } else if (X == Level::line) {
      needs.line_list = !ranks;
      needs.roomy_lines = How == Choice::first;
      needs.line_classes = ranks;
    } else {
      needs.page_list = !ranks;
      needs.roomy_pages = How == Choice::first;
      needs.page_classes = ranks;
    }
    return needs;
  }
};

template <Level X, Level Y>
using Lowest = Find<Choice::lowest, X, Y>;
template <Level X, Level Y>
using Cyclic = Find<Choice::cyclic, X, Y>;
template <Level X, Level Y>
using First = Find<Choice::first, X, Y>;
template <Level X, Level Y>
using Newblock = Find<Choice::newblock, X, Y>;
template <Level X, Level Y>
using Emptiest = Find<Choice::emptiest, X, Y>;
template <Level X, Level Y>
using Fullest = Find<Choice::fullest, X, Y>;

} // namespace adcock::move
