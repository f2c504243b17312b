// Runs: neighbouring cells of one size in one page, which are handed out one after the other to objects that follow
// each other. Which cells wait, a bit each says, next to those of the pages around: whoever knows the last object
// finds out whether the next cell waits without a look at the cell itself, whose line is on its way from afar where
// there are many chains.
#pragma once

#include "heap/local_heap.hpp"

namespace abut::near {

// No cell is there.
inline constexpr Address kNoCell = 1;

// Whether a cell of `size` granules waits at `cell` in a page of that heap. `cell` is an address that some pointer of the
// program led to, nothing else is known of it.
[[gnu::always_inline]] inline bool waits_at(const heap::LocalHeap &heap, Address cell,
                                            unsigned size) {
  if (cell % heap::Granules::kBytes != 0 ||
      heap::segment_map.kind_at(cell) != heap::SegmentKind::pages) [[unlikely]]
    return false;
  const heap::Segment *segment = heap::Segment::of(cell);
  return segment->waiting.holds(cell) && segment->cell_size[heap::page_in_segment(cell)] == size &&
         segment->tag_at(cell) == heap.small.tag();
}

// Has `count` cells wait, from `first` on.
inline void begin_to_wait(Address first, unsigned size, unsigned count) {
  heap::Segment *segment = heap::Segment::of(first);
  segment->cell_size[heap::page_in_segment(first)] = static_cast<uint8_t>(size);
  segment->waiting.add(first, size, count);
}

inline void wait_no_more(Address cell) { heap::Segment::of(cell)->waiting.remove(cell); }

// A cell for its object.
[[gnu::always_inline]] inline void *hand_out(Address cell) {
  // The lines that the chain will grow into are asked for before it gets there: with many chains, nothing else would.
  constexpr size_t kAhead = 3 * kLineBytes;
  __builtin_prefetch(reinterpret_cast<const char *>(cell) + kAhead, 1);
  auto *block = reinterpret_cast<heap::Block *>(cell);
  block->next = nullptr;
  block->mark = 0;
  return block;
}

// The cell that waits there for an object of that size.
[[gnu::always_inline]] inline void *take_waiting(heap::LocalHeap &heap, Address cell,
                                                 unsigned size) {
  wait_no_more(cell);
  heap.set_aside -= size * heap::Granules::kBytes;
  return hand_out(cell);
}

} // namespace abut::near
