#include "heap/invariants.hpp"

#include "os/message.hpp"

namespace abut::heap::invariants {
namespace {

void require(bool fact, const void *where, const char *otherwise) {
  if (!fact) [[unlikely]]
    os::fail("invariant", where, otherwise);
}

bool test(unsigned set, unsigned index) { return ((set >> index) & 1) != 0; }

uint32_t capped(uint32_t room) { return room < 255 ? room : 255; }

} // namespace

void check_bin(const Bin &bin) {
  int blocks = 0;
  for (const Block *block = bin.head; block && blocks <= bin.most + 1; block = block->next)
    ++blocks;
  require(blocks == bin.count(), &bin, "a bin does not hold as many blocks as it says");
  require(bin.limit <= bin.most, &bin, "a bin may hold more than the most");
}

void check_small_page(const OpenPage &page) {
  const SmallMap &map = page.segment->lines[page.page];
  const SpanInfo &span = *page.span;
  require(map.valid(), &map,
          "a page's map has a beginning without an end, or an end without a beginning");
  require(&span == &page.segment->span_at(page.segment->page_address(page.page)), &span,
          "a page lies in another span");
  require(test(span.empty, page.index()) == map.empty(), &span,
          "a page is not as empty as its span says");
  const auto cover = map.cover();
  require(span.room[page.index()] >= capped(cover.longest_hole()), &span,
          "a page has a longer hole than its span says");
  require(!test(span.open, page.index()) || span.listed != 0, &span,
          "a span with an open page is not listed");
}

void check_medium_span(const SpanInfo &span) {
  Segment *segment = Segment::of(&span);
  const MediumMap &map = medium_map(segment, span);
  require(map.valid(), &map,
          "a span's map has a beginning without an end, or an end without a beginning");
  require(map.cover().longest_hole() <= span.largest_hole, &span,
          "a span has a longer hole than it says");
}

void check_segment(Segment &segment) {
  require(segment.runs.valid(), &segment, "a segment's map has a beginning without an end");
  const auto cover = segment.runs.cover();
  uint32_t dirty = 0;
  for (unsigned i = 0; i < kPagesInSegment / 64; ++i) {
    require((segment.dirty[i] & cover.words[i]) == 0, &segment,
            "a page in use is said to be free and dirty");
    dirty += static_cast<uint32_t>(std::popcount(segment.dirty[i]));
  }
  require(dirty == segment.dirty_pages, &segment,
          "a segment does not have as many dirty pages as it says");
  require(cover.longest_hole() == segment.largest_hole, &segment,
          "a segment has another largest hole");
}

} // namespace abut::heap::invariants
