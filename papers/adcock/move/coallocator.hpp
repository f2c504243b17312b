// Coallocators: operations in a row that end in a cell, near a hint or anywhere (Adcock 2009, 4.2.3 and figure 4.6).
// They are named from the cell outwards, and carried out from the right: FindAll<Lowest<cell, line>, Emptiest<line, heap>>.
#pragma once

#include "parts/operations.hpp"

namespace adcock::move {

// Finds from the rightmost to the leftmost, each in what the one before found.
template <typename... Finds>
struct FindAll;

template <typename Last>
struct FindAll<Last> {
  static constexpr Needs needs() { return Last::needs(); }
  template <typename Heap, typename... Where>
  static auto run(Heap &heap, Where... where) {
    return heap.find(Last{}, where...);
  }
};

template <typename Inner, typename... Outer>
struct FindAll<Inner, Outer...> {
  static constexpr Needs needs() { return Inner::needs() | FindAll<Outer...>::needs(); }
  template <typename Heap, typename... Where>
  static auto run(Heap &heap, Where... where) {
    const auto block = FindAll<Outer...>::run(heap, where...);
    return found(block) ? heap.find(Inner{}, block) : heap.nothing(Inner{});
  }
};

// Allocates in the hint's line or page (`coallocHint` in the thesis's grammar).
template <Level Block, typename... Finds>
struct NearHint {
  static constexpr bool kWantsHint = true;
  static constexpr Needs needs() { return FindAll<Finds...>::needs(); }

  // A cell near the hint, now in use; kNoCell if there is no room.
  template <typename Heap>
  static CellId allocate(Heap &heap, CellId hint) {
    return FindAll<Finds...>::run(heap, block_of<Heap>(hint));
  }
  // Whether two cells are as near as this brings them.
  template <typename Heap>
  static bool are_near(CellId one, CellId other) {
    return block_of<Heap>(one) == block_of<Heap>(other);
  }

private:
  template <typename Heap>
  static auto block_of(CellId cell) {
    if constexpr (Block == Level::line)
      return Heap::Numbers::line_of(cell);
    else
      return Heap::Numbers::page_of(cell);
  }
};

// Allocates anywhere in the heap (`coallocGlobal`).
template <typename... Finds>
struct Anywhere {
  static constexpr bool kWantsHint = false;
  static constexpr Needs needs() { return FindAll<Finds...>::needs(); }

  template <typename Heap>
  static CellId allocate(Heap &heap) {
    return FindAll<Finds...>::run(heap);
  }
};

// Does nothing (`null`).
struct NoCoallocator {
  static constexpr bool kWantsHint = false;
  static constexpr Needs needs() { return {}; }
  template <typename Heap>
  static CellId allocate(Heap & /*heap*/) {
    return kNoCell;
  }
};

} // namespace adcock::move
