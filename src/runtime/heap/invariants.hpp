// What must hold of the heap's own tables whenever nobody is changing them. The debug build looks after each change,
// and ends the process at the first thing that is wrong; a release build never does.
#pragma once

#include "heap/bin.hpp"
#include "heap/open_pages.hpp"

namespace abut::heap {

#if defined(NDEBUG)
inline constexpr bool kChecked = false;
#else
inline constexpr bool kChecked = true;
#endif

namespace invariants {

// A bin's count is the number of its blocks.
void check_bin(const Bin &bin);

// A page of small blocks that nobody fills: its map is whole, and what its span says of it is true.
void check_small_page(const OpenPage &page);

// A medium span's map is whole, and no hole is longer than the span says.
void check_medium_span(const SpanInfo &span);

// The page runs' map of a segment is whole; free pages alone are dirty, and they are counted.
void check_segment(Segment &segment);

} // namespace invariants

inline void check(const Bin &bin) {
  if constexpr (kChecked) invariants::check_bin(bin);
}
inline void check_small(const OpenPage &page) {
  if constexpr (kChecked) invariants::check_small_page(page);
}
inline void check_medium(const SpanInfo &span) {
  if constexpr (kChecked) invariants::check_medium_span(span);
}
inline void check(Segment &segment) {
  if constexpr (kChecked) invariants::check_segment(segment);
}

} // namespace abut::heap
