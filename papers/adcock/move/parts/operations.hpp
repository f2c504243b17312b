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

// What a heap keeps beside the one mask of used cells that each line has: parts, by bits.
struct Needs {
  static constexpr unsigned kCellList =
      1; // all free cells of the heap, in a list through themselves
  static constexpr unsigned kLinesInPage = 2; // each page's lines that are not full, in a word
  static constexpr unsigned kLineClassesInPage =
      4;                                   // each page's lines by how full they are, a word a count
  static constexpr unsigned kLineList = 8; // the heap's empty lines
  static constexpr unsigned kRoomyLines = 16;  // and those that are neither empty nor full
  static constexpr unsigned kLineClasses = 32; // the heap's lines by how full they are
  static constexpr unsigned kPageList = 64;    // the same of pages, in 16 classes
  static constexpr unsigned kRoomyPages = 128;
  static constexpr unsigned kPageClasses = 256;
  unsigned parts = 0;

  constexpr bool any(unsigned of) const { return (parts & of) != 0; }
  constexpr bool page_counts() const { return any(kPageList | kPageClasses); }
  constexpr bool any_line_list() const { return any(kLineList | kLineClasses); }
  constexpr Needs operator|(Needs other) const { return {parts | other.parts}; }
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
    constexpr bool kRanks = How == Choice::emptiest || How == Choice::fullest;
    constexpr bool kByCount = How == Choice::emptiest || How == Choice::newblock;
    if (Y == Level::line) return {}; // the mask of used cells is enough
    if (Y == Level::page) return {kByCount ? Needs::kLineClassesInPage : Needs::kLinesInPage};
    if (X == Level::cell) return {Needs::kCellList};
    const unsigned list = X == Level::line ? Needs::kLineList : Needs::kPageList;
    return {kRanks ? list << 2 : How == Choice::first ? list | list << 1 : list};
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
