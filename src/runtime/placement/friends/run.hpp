// Runs: neighbouring reserved cells of one size in a birth page, which are handed out one after the other to objects that
// follow each other. A byte of the page says which cells are reserved: whoever knows the last object finds out whether the
// next cell is, without reading the cell, whose line is rarely in the cache where there are many chains.
#pragma once

#include "placement/above.hpp"

namespace abut::near {

// Whether a cell of `size` granules is reserved at `cell` in a page of that heap. `cell` is an address that some pointer of the
// program led to, nothing else is known of it.
[[gnu::always_inline]] inline bool is_reserved_at(const heap::LocalHeap &heap, Address cell,
                                                  unsigned size) {
  if (cell % heap::Granules::kBytes != 0 ||
      heap::segment_map.kind_at(cell) != heap::SegmentKind::birth_pages) [[unlikely]]
    return false;
  const heap::Page &page = heap::PageSegment::page_of(cell);
  return page.owner == &heap && *heap::cell_at(cell) == (heap::kReserved | size);
}

// A cell for its object.
[[gnu::always_inline]] inline void *hand_out(Address cell, unsigned size) {
  // The lines that the chain will grow into are asked for before it gets there: with many chains, nothing else would.
  constexpr size_t kAhead = 3 * kLineBytes;
  __builtin_prefetch(reinterpret_cast<const char *>(cell) + kAhead, 1);
  heap::store_released<heap::Cell>(*heap::cell_at(cell), static_cast<heap::Cell>(size));
  return reinterpret_cast<void *>(cell);
}

// The reserved cell there, for an object of that size.
[[gnu::always_inline]] inline void *take_reserved(heap::LocalHeap &heap, Address cell,
                                                  unsigned size) {
  above(heap).set_aside -= size * heap::Granules::kBytes;
  return hand_out(cell, size);
}

} // namespace abut::near
