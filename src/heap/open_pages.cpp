#include "heap/open_pages.hpp"

namespace abut::heap {

// In a small or tiny span: `open` pages have room and nobody fills them, `empty` ones hold no block and nobody
// fills them. The fresh pages of the newest span are empty but not open: they are handed out in order, so that
// what is born together lies together.

OpenPage OpenPages::take_used() {
  SpanInfo *span = listed_.front();
  if (span == nullptr) return {};
  const unsigned index = static_cast<unsigned>(std::countr_zero(span->open));
  span->open &= ~(uint64_t{1} << index);
  span->empty &= ~(uint64_t{1} << index);
  span->aged &= ~(uint64_t{1} << index);
  span->touched |= uint64_t{1} << index;
  if (span->open == 0) unlist(*span);
  return {Segment::of(span), span, first_page(*span) + index, false};
}

OpenPage OpenPages::take_fresh(LocalHeap *owner, uint32_t tag) {
  uint64_t fresh = fresh_span_ ? fresh_span_->empty & ~fresh_span_->open : 0;
  if (fresh == 0) {
    const Run run = page_runs.allocate({kPagesInUnit}, kPagesInUnit);
    if (!run) return {};
    const auto unit = static_cast<uint8_t>(run.pages.first / kPagesInUnit);
    fresh_segment_ = run.segment;
    fresh_span_ = &run.segment->spans[unit];
    *fresh_span_ = {};
    fresh_span_->owner = owner;
    fresh_span_->first_unit = unit;
    fresh_span_->empty = fresh = kAll;
    const bool populate = run.clean && !run.segment->huge_pages && page_runs.growing_large();
    if (populate) os::populate(reinterpret_cast<void *>(run.address()), kUnitBytes);
    if (populate || !run.clean) fresh_span_->touched = kAll;
    run.segment->tags[unit].store(tag, std::memory_order_relaxed);
  }
  const unsigned index = static_cast<unsigned>(std::countr_zero(fresh));
  fresh_span_->empty &= ~(uint64_t{1} << index);
  fresh_span_->touched |= uint64_t{1} << index;
  return {fresh_segment_, fresh_span_, first_page(*fresh_span_) + index, true};
}

void OpenPages::put(Segment *, SpanInfo &span, unsigned page) {
  span.open |= bit_of(page);
  if (span.listed) return;
  span.listed = true;
  listed_.push_back(&span);
}

void OpenPages::put_empty(Segment *segment, SpanInfo &span, unsigned page) {
  span.empty |= bit_of(page);
  if (span.empty != kAll) {
    put(segment, span, page);
    return;
  }
  if (span.listed) unlist(span);
  if (&span == fresh_span_) fresh_span_ = nullptr;
  const unsigned unit = span.first_unit;
  segment->tags[unit].store(0, std::memory_order_relaxed);
  page_runs.release(segment, {unit * kPagesInUnit, kPagesInUnit}, span.touched);
}

void OpenPages::unlist(SpanInfo &span) {
  listed_.remove(&span);
  span.listed = false;
}

void OpenPages::decay(unsigned most_spans) {
  SpanInfo *span = listed_.front();
  for (; span && most_spans > 0; --most_spans, span = SpanList::after(span)) {
    const uint64_t candidates = span->empty & span->open & span->touched;
    uint64_t idle = candidates & span->aged;
    span->aged = candidates & ~idle;
    while (idle != 0) {
      const unsigned first = static_cast<unsigned>(std::countr_zero(idle));
      const unsigned count = static_cast<unsigned>(std::countr_one(idle >> first));
      const uint64_t pages = ((uint64_t{1} << count) - 1) << first;
      os::discard(reinterpret_cast<void *>(
                      Segment::of(span)->page_address(first_page(*span) + first)),
                  count * kPageBytes);
      span->touched &= ~pages;
      idle &= ~pages;
    }
  }
}

} // namespace abut::heap
