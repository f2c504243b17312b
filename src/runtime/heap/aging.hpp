// How pages inside a span that is in use go back to the kernel: those that could go at two looks running.
#pragma once

#include "heap/segment.hpp"

namespace abut::heap {

// `candidates` are the span's pages, a bit each, that hold no block now.
inline void give_back_aged(SpanInfo &span, uint64_t candidates) {
  candidates &= span.touched;
  uint64_t idle = candidates & span.aged;
  span.aged = candidates & ~idle;
  const Segment *segment = Segment::of(&span);
  while (idle != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(idle));
    const auto count = static_cast<unsigned>(std::countr_one(idle >> first));
    const Address begin = segment->page_address(first_page(span) + first);
    // What the kernel refuses stays as it was, and counts as touched.
    if (os::discard(reinterpret_cast<void *>(begin), count * kPageBytes))
      span.touched &= ~(~uint64_t{0} >> (64 - count) << first);
    idle = count + first >= 64 ? 0 : idle >> (first + count) << (first + count);
  }
}

} // namespace abut::heap
