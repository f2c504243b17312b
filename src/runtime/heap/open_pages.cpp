#include "heap/open_pages.hpp"

#include "heap/aging.hpp"

namespace abut::heap {

void (*when_grown)(size_t span_bytes) = nullptr;

// The fresh pages of the newest span are empty but not open: they are handed out in order, so that what is born
// together lies together.

// The open pages of `span` whose room may take `size`.
uint16_t OpenPages::pages_with_room(const SpanInfo &span, uint32_t size) {
  unsigned found = 0;
  for (unsigned i = 0; i < kPagesInUnit; ++i) found |= unsigned{span.room[i] >= size} << i;
  return static_cast<uint16_t>(found & span.open);
}

void OpenPages::move_to(SpanInfo &span, unsigned list) {
  if (span.listed != 0) lists_[span.listed].remove(&span);
  if (list != 0) lists_[list].push_back(&span);
  span.listed = static_cast<uint8_t>(list);
}

// A page was taken from the span, which may have been its roomiest.
void OpenPages::lower(SpanInfo &span) {
  uint32_t most = 0;
  for (unsigned i = 0; i < kPagesInUnit; ++i)
    most = std::max<uint32_t>(most, ((span.open >> i) & 1) != 0 ? span.room[i] : 0);
  const auto list = static_cast<unsigned>(std::bit_width(most));
  if (list != span.listed) move_to(span, list);
}

SpanInfo *OpenPages::find(uint32_t size) {
  // On the first list a span may fall short; from the next on every span will do.
  const auto first = static_cast<unsigned>(std::bit_width(size));
  SpanInfo *span = lists_[first].front();
  for (unsigned tries = 4; span && tries > 0; --tries, span = SpanList::after(span))
    if (pages_with_room(*span, size) != 0) return span;
  for (unsigned list = first + 1; list < kLists; ++list)
    if (!lists_[list].empty()) return lists_[list].front();
  return nullptr;
}

OpenPage OpenPages::take_used(uint32_t size) {
  SpanInfo *span = find(size);
  if (span == nullptr) return {};
  const auto index = static_cast<unsigned>(std::countr_zero(pages_with_room(*span, size)));
  const OpenPage page{Segment::of(span), span, first_page(*span) + index};
  if ((span->empty & bit_of(page)) != 0 && idle_ > 0) --idle_;
  span->open &= static_cast<uint16_t>(~bit_of(page));
  span->empty &= static_cast<uint16_t>(~bit_of(page));
  span->aged &= ~uint64_t{bit_of(page)};
  if ((span->touched & bit_of(page)) == 0) retention.took(1);
  span->touched |= bit_of(page);
  lower(*span);
  return page;
}

bool OpenPages::new_span(LocalHeap *owner, uint32_t tag) {
  const Run run = page_runs.allocate({kPagesInUnit}, kPagesInUnit);
  if (!run) return false;
  const unsigned unit = run.pages.first / kPagesInUnit;
  fresh_segment_ = run.segment;
  fresh_span_ = &run.segment->spans[unit];
  *fresh_span_ = {};
  fresh_span_->owner = owner;
  fresh_span_->first_unit = static_cast<uint8_t>(unit);
  fresh_span_->empty = kAll;
  const bool populate = run.clean && !run.segment->huge_pages && spans_ >= kPopulateFrom;
  ++spans_;
  if (populate) os::populate(reinterpret_cast<void *>(run.address()), kUnitBytes);
  if (populate || !run.clean) fresh_span_->touched = kAll;
  run.segment->tags[unit].store(tag, std::memory_order_relaxed);
  if (when_grown != nullptr) when_grown(span_bytes());
  return true;
}

OpenPage OpenPages::take_fresh(LocalHeap *owner, uint32_t tag) {
  if (fresh_span_ == nullptr || (fresh_span_->empty & ~fresh_span_->open) == 0)
    if (!new_span(owner, tag)) return {};
  const auto fresh = static_cast<unsigned>(fresh_span_->empty & ~fresh_span_->open);
  const auto index = static_cast<unsigned>(std::countr_zero(fresh));
  const OpenPage page{fresh_segment_, fresh_span_, first_page(*fresh_span_) + index};
  fresh_span_->empty &= static_cast<uint16_t>(~bit_of(page));
  fresh_span_->touched |= bit_of(page);
  return page;
}

void OpenPages::put(const OpenPage &page, Room room) {
  SpanInfo &span = *page.span;
  span.room[page.index()] = static_cast<uint8_t>(std::min(room.longest, kMostRoom));
  span.free[page.index()] = static_cast<uint8_t>(std::min(room.free, kMostRoom));
  if (room.free < worth_filling_) return;
  span.open |= bit_of(page);
  const auto list = static_cast<unsigned>(std::bit_width(span.room[page.index()]));
  if (list > span.listed) move_to(span, list);
}

void OpenPages::add_room(const OpenPage &page, uint32_t freed, uint32_t hole) {
  const SpanInfo &span = *page.span;
  put(page, {std::max<uint32_t>(span.room[page.index()], hole), span.free[page.index()] + freed});
}

// The room was an upper bound and stays one.
void OpenPages::take_room(const OpenPage &page, uint32_t taken) {
  uint8_t &free = page.span->free[page.index()];
  free = static_cast<uint8_t>(free - std::min<uint32_t>(free, taken));
}

void OpenPages::put_empty(const OpenPage &page) {
  SpanInfo &span = *page.span;
  span.empty |= bit_of(page);
  span.note[page.index()] = 0;
  if (span.empty != kAll) {
    put(page, {kMostRoom, kMostRoom});
    ++idle_;
    keep_idle_few();
    return;
  }
  --spans_;
  idle_ -= std::min<uint32_t>(idle_, kPagesInUnit - 1);
  if (span.listed != 0) lists_[span.listed].remove(&span);
  if (&span == fresh_span_) fresh_span_ = nullptr;
  const unsigned unit = span.first_unit;
  page.segment->tags[unit].store(0, std::memory_order_relaxed);
  page_runs.release(page.segment, {unit * kPagesInUnit, kPagesInUnit}, span.touched);
}

void OpenPages::keep_idle_few() {
  if (idle_ < retention.allowance_in_spans()) return;
  retention.gave_back(idle_);
  idle_ = 0;
  decay(~0U);
  decay(~0U);
}

void OpenPages::decay(unsigned most_spans) {
  // Empty pages have the most room, so their spans are on the last list.
  SpanInfo *span = lists_[kLists - 1].front();
  for (; span && most_spans > 0; --most_spans, span = SpanList::after(span))
    give_back_aged(*span, unsigned{span->empty} & span->open);
}

} // namespace abut::heap
