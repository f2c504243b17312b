#include "heap/medium_heap.hpp"

#include "os/message.hpp"

#include <algorithm>

namespace abut::heap {
namespace {

constexpr unsigned kGranulesToPage = kPageBytes / MediumGranules::kBytes;

// A span whose largest hole is shorter than this is not listed: it would be looked at in vain.
constexpr uint32_t kWorthListing = kSmallMax / MediumGranules::kBytes + 1;

// So many spans with room are searched, and so many looked at, before a new one is taken.
constexpr unsigned kTries = 8;
constexpr unsigned kSteps = 64;

uint64_t page_bits(uint32_t first, uint32_t count) {
  return (count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
}

// The pages that some granule of `granules` lies on.
uint64_t pages_touched(Range granules) {
  const uint32_t first = granules.first / kGranulesToPage;
  const uint32_t last = (granules.end() - 1) / kGranulesToPage;
  return page_bits(first, last - first + 1);
}

// The pages that lie in `granules` as a whole.
uint64_t pages_within(Range granules) {
  const uint32_t first = (granules.first + kGranulesToPage - 1) / kGranulesToPage;
  const uint32_t end = granules.end() / kGranulesToPage;
  return end > first ? page_bits(first, end - first) : 0;
}

} // namespace

void MediumHeap::open(LocalHeap *owner, uint32_t tag, uintptr_t mark) {
  owner_ = owner;
  tag_ = tag;
  mark_ = mark;
  for (unsigned size = 1; size <= kBinMost; ++size) bins_[size].open(size * MediumGranules::kBytes);
}

// Leads the cursor to the best hole of `span`, if one takes the block; learns the size of its largest hole.
bool MediumHeap::seek(SpanInfo &span, unsigned size, uint32_t align) {
  Segment *segment = Segment::of(&span);
  const Range hole = medium_map(segment, span).cover().best_fit(0, size, align, span.largest_hole);
  if (hole) cursor_ = {segment, &span, hole};
  return static_cast<bool>(hole);
}

// Takes `size` granules of the cursor's hole.
void *MediumHeap::take(unsigned size, uint32_t align) {
  const Range block = fit_in(cursor_.hole, size, align);
  medium_map(cursor_.segment, *cursor_.span).add(block);
  cursor_.span->touched |= pages_touched(block);
  cursor_.hole = {block.end(), cursor_.hole.end() - block.end()};
  auto *result = reinterpret_cast<Block *>(
      cursor_.segment->page_address(first_page(*cursor_.span)) + block.first * MediumGranules::kBytes);
  result->mark = 0;
  return result;
}

SpanInfo *MediumHeap::add_span() {
  const Run run = page_runs.allocate({kPagesInMediumSpan}, kPagesInUnit);
  if (!run) return nullptr;
  const unsigned unit = run.pages.first / kPagesInUnit;
  SpanInfo &span = run.segment->spans[unit];
  span = {};
  span.owner = owner_;
  span.first_unit = static_cast<uint8_t>(unit);
  span.largest_hole = kMediumGranulesInSpan;
  if (!run.clean) span.touched = ~uint64_t{0};
  for (unsigned i = 0; i < kUnitsInMediumSpan; ++i) {
    run.segment->spans[unit + i].first_unit = static_cast<uint8_t>(unit);
    run.segment->tags[unit + i].store(tag_, std::memory_order_relaxed);
  }
  list(span);
  return &span;
}

void MediumHeap::list(SpanInfo &span) {
  if (span.listed) return;
  span.listed = true;
  spans_.push_back(&span);
}

void *MediumHeap::allocate(unsigned size, size_t align) {
  const auto step = static_cast<uint32_t>(std::max<size_t>(align / MediumGranules::kBytes, 1));
  if (fit_in(cursor_.hole, size, step)) return take(size, step);
  cursor_ = {};
  unsigned tries = kTries;
  unsigned steps = kSteps;
  for (SpanInfo *span = spans_.front(); span && tries > 0 && steps > 0; --steps) {
    SpanInfo *next = SpanList::after(span);
    if (span->largest_hole >= size) {
      if (seek(*span, size, step)) return take(size, step);
      --tries;
    }
    if (span->largest_hole < kWorthListing) {
      spans_.remove(span);
      span->listed = false;
    }
    span = next;
  }
  SpanInfo *span = add_span();
  return span && seek(*span, size, step) ? take(size, step) : nullptr;
}

bool MediumHeap::resize(Address address, unsigned size) {
  Segment *segment = Segment::of(address);
  SpanInfo &span = segment->span_at(address);
  MediumMap &map = medium_map(segment, span);
  const uint32_t first = medium_granule(segment, span, address);
  const Range block{first, map.length_at(first)};
  if (size > block.count) {
    if (block.end() == kMediumGranulesInSpan || !map.is_free(block.end())) return false;
    if (map.hole_at(block.end()).count < size - block.count) return false;
    span.touched |= pages_touched({first, size});
  }
  if (&span == cursor_.span) cursor_ = {}; // its hole may just have changed
  map.resize(block, size);
  if (size < block.count) note_hole(span, map, first + size);
  return true;
}

// Granule `at` has just become free.
void MediumHeap::note_hole(SpanInfo &span, const MediumMap &map, uint32_t at) {
  span.largest_hole = std::max(span.largest_hole, map.hole_at(at).count);
  if (span.largest_hole >= kWorthListing) list(span);
}

void MediumHeap::give_back(Block *block) {
  const auto address = reinterpret_cast<Address>(block);
  Segment *segment = Segment::of(address);
  SpanInfo &span = segment->span_at(address);
  MediumMap &map = medium_map(segment, span);
  const uint32_t first = medium_granule(segment, span, address);
  if (!map.begins_at(first)) os::fail("free", block, "this block has been freed twice");
  map.remove({first, map.length_at(first)});
  if (!map.empty()) {
    note_hole(span, map, first);
    return;
  }
  if (span.listed) spans_.remove(&span);
  if (&span == cursor_.span) cursor_ = {};
  const unsigned unit = span.first_unit;
  for (unsigned i = 0; i < kUnitsInMediumSpan; ++i)
    segment->tags[unit + i].store(0, std::memory_order_relaxed);
  page_runs.release(segment, {unit * kPagesInUnit, kPagesInMediumSpan}, span.touched);
}

void MediumHeap::give_back_chain(Block *first) {
  while (first) {
    Block *next = first->next;
    give_back(first);
    first = next;
  }
}

void MediumHeap::spill(unsigned size) {
  Bin &bin = bins_[size];
  Block *older = bin.split(bin.limit / 2);
  bin.grow();
  give_back_chain(older);
}

void MediumHeap::close() {
  for (unsigned size = 1; size <= kBinMost; ++size) give_back_chain(bins_[size].take_all());
}

// Gives back the pages that lay in holes at the look before and still do.
void MediumHeap::decay(unsigned most_spans) {
  SpanInfo *span = spans_.front();
  for (; span && most_spans > 0; --most_spans, span = SpanList::after(span)) {
    Segment *segment = Segment::of(span);
    const auto cover = medium_map(segment, *span).cover();
    uint64_t candidates = 0;
    for (Range hole = cover.next_hole(0); hole; hole = cover.next_hole(hole.end()))
      candidates |= pages_within(hole);
    candidates &= span->touched;
    uint64_t idle = candidates & span->aged;
    span->aged = candidates & ~idle;
    span->touched &= ~idle;
    while (idle != 0) {
      const auto first = static_cast<unsigned>(std::countr_zero(idle));
      const auto count = static_cast<unsigned>(std::countr_one(idle >> first));
      os::discard(reinterpret_cast<void *>(segment->page_address(first_page(*span) + first)),
                  count * kPageBytes);
      idle &= ~page_bits(first, count);
    }
  }
}

} // namespace abut::heap
