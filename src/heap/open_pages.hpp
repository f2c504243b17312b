// The pages of one tier of one heap that have room: those in partly used spans, and the fresh ones of the
// newest span. Spans are used in the order in which they became non-full, pages within them from low to high.
#pragma once

#include "heap/page_runs.hpp"

namespace abut::heap {

struct OpenPage {
  Segment *segment = nullptr;
  SpanInfo *span = nullptr;
  unsigned page = 0; // in the segment
  bool fresh = false; // never used since the span was taken

  explicit operator bool() const { return segment != nullptr; }
};

class OpenPages {
public:
  // The lowest page with room in the oldest span that has one, which nobody else is filling from now on.
  OpenPage take_used();

  // A page without blocks: one of the newest span, or of a new span; none where memory is exhausted.
  OpenPage take_fresh(LocalHeap *owner, uint32_t tag);

  // A page that nobody is filling got room.
  void put(Segment *segment, SpanInfo &span, unsigned page);

  // The same for a page whose last block went. Gives the span back if all of its pages are empty.
  void put_empty(Segment *segment, SpanInfo &span, unsigned page);

  bool any_used() const { return !listed_.empty(); }

  // Gives back the empty pages that were so at the call before; at most `most_spans` are looked at.
  void decay(unsigned most_spans);

private:
  static constexpr uint64_t kAll = (uint64_t{1} << kPagesInUnit) - 1;

  static uint64_t bit_of(unsigned page) { return uint64_t{1} << (page % kPagesInUnit); }
  void unlist(SpanInfo &span);

  SpanList listed_;
  Segment *fresh_segment_ = nullptr;
  SpanInfo *fresh_span_ = nullptr;
};

} // namespace abut::heap
