#include "heap/medium_heap.hpp"

#include "heap/aging.hpp"
#include "heap/invariants.hpp"
#include "os/message.hpp"

#include <algorithm>

namespace abut::heap {
namespace {

constexpr unsigned kGranulesToPage = kPageBytes / MediumGranules::kBytes;

// Of a list whose spans may fall short of the request, so many are searched.
constexpr unsigned kTries = 2;

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
  for (unsigned one = 0; one < kMediumClasses.count(); ++one)
    bins_[one].open(MediumGranules{kMediumClasses.granules(one)}.bytes(), kBytesInBin);
}

// Lists are spaced by quarters of a doubling: a span on a list beyond a request's own takes the request.
unsigned MediumHeap::list_for(uint32_t hole) {
  const auto width = static_cast<unsigned>(std::bit_width(hole));
  return width <= 3 ? hole : ((width - 2) << 2) + ((hole >> (width - 3)) & 3);
}

// Puts the span on the list that its largest hole belongs to.
void MediumHeap::file(SpanInfo &span, uint32_t largest_hole) {
  span.largest_hole = static_cast<uint16_t>(largest_hole);
  const auto list = static_cast<uint8_t>(list_for(largest_hole));
  if (list == span.listed) return;
  if (span.listed != 0) unlist(span);
  if (list != 0) {
    spans_[list].push_back(&span);
    filled_ |= uint64_t{1} << list;
  }
  span.listed = list;
}

void MediumHeap::unlist(const SpanInfo &span) {
  SpanList &list = spans_[span.listed];
  list.remove(const_cast<SpanInfo *>(&span));
  if (list.empty()) filled_ &= ~(uint64_t{1} << span.listed);
}

// Leads the cursor to the best hole of `span`, if one takes the block; learns the size of its largest hole.
bool MediumHeap::seek(SpanInfo &span, unsigned size, uint32_t align) {
  Segment *segment = Segment::of(&span);
  uint32_t largest = 0;
  const Range hole = medium_map(segment, span).cover().best_fit(0, size, align, largest);
  file(span, largest);
  if (hole) cursor_ = {segment, &span, hole};
  return static_cast<bool>(hole);
}

// The spans with just enough room come first, so that large holes are left to large blocks; the hole that the
// cursor fills comes before all that are as large.
bool MediumHeap::seek_best(unsigned size, uint32_t align) {
  const bool fits = static_cast<bool>(fit_in(cursor_.hole, size, align));
  uint64_t lists = filled_ >> list_for(size) << list_for(size);
  for (; lists != 0; lists &= lists - 1) {
    const auto list = static_cast<unsigned>(std::countr_zero(lists));
    if (fits && list >= list_for(cursor_.hole.count)) return true;
    SpanInfo *span = spans_[list].front();
    for (unsigned tries = kTries; span && tries > 0; --tries) {
      SpanInfo *next = SpanList::after(span);
      if (span->largest_hole >= size && seek(*span, size, align)) return true;
      span = next;
    }
  }
  return fits;
}

// Takes `size` granules of the cursor's hole.
void *MediumHeap::take(unsigned size, uint32_t align) {
  const Range block = fit_in(cursor_.hole, size, align);
  medium_map(cursor_.segment, *cursor_.span).add(block);
  cursor_.span->touched |= pages_touched(block);
  cursor_.hole = {block.end(), cursor_.hole.end() - block.end()};
  auto *result =
      reinterpret_cast<Block *>(cursor_.segment->page_address(first_page(*cursor_.span)) +
                                block.first * MediumGranules::kBytes);
  result->mark = 0;
  return result;
}

SpanInfo *MediumHeap::add_span() {
  const Run run = page_runs.allocate({kPagesInMediumSpan}, kPagesInMediumSpan);
  if (!run) return nullptr;
  const unsigned unit = run.pages.first / kPagesInUnit;
  SpanInfo &span = run.segment->spans[unit];
  span = {};
  span.owner = owner_;
  span.first_unit = static_cast<uint8_t>(unit);
  if (!run.clean) span.touched = ~uint64_t{0};
  for (unsigned i = 0; i < kUnitsInMediumSpan; ++i) {
    run.segment->spans[unit + i].first_unit = static_cast<uint8_t>(unit);
    run.segment->tags[unit + i].store(tag_, std::memory_order_relaxed);
  }
  file(span, kMediumGranulesInSpan);
  return &span;
}

void *MediumHeap::allocate(unsigned size, size_t align) {
  const auto step = static_cast<uint32_t>(std::max<size_t>(align / MediumGranules::kBytes, 1));
  if (seek_best(size, step)) return take(size, step);
  SpanInfo *span = add_span();
  return span && seek(*span, size, step) ? take(size, step) : nullptr;
}

bool MediumHeap::resize(Address address, unsigned size) {
  Segment *segment = Segment::of(address);
  SpanInfo &span = segment->span_at(address);
  MediumMap &map = medium_map(segment, span);
  const uint32_t first = medium_granule(address);
  const Range block{first, map.length_at(first)};
  if (size > block.count) {
    if (block.end() == kMediumGranulesInSpan || !map.is_free(block.end())) return false;
    if (map.hole_at(block.end()).count < size - block.count) return false;
    span.touched |= pages_touched({first, size});
  }
  if (&span == cursor_.span) cursor_ = {}; // its hole may just have changed
  map.resize(block, size);
  if (size < block.count) note_hole(span, map, first + size);
  check_medium(span);
  return true;
}

// Granule `at` has just become free.
void MediumHeap::note_hole(SpanInfo &span, const MediumMap &map, uint32_t at) {
  const uint32_t hole = map.hole_at(at).count;
  if (hole > span.largest_hole) file(span, hole);
}

void MediumHeap::give_back(Block *block) {
  const auto address = reinterpret_cast<Address>(block);
  Segment *segment = Segment::of(address);
  SpanInfo &span = segment->span_at(address);
  MediumMap &map = medium_map(segment, span);
  const uint32_t first = medium_granule(address);
  if (!map.begins_at(first)) os::fail("free", block, "this block has been freed twice");
  map.remove({first, map.length_at(first)});
  if (!map.empty()) {
    note_hole(span, map, first);
    check_medium(span);
    return;
  }
  if (span.listed != 0) unlist(span);
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

void MediumHeap::spill(unsigned size_class) {
  give_back_chain(bins_[size_class].overflow());
  check(bins_[size_class]);
}

void MediumHeap::thin_bins() {
  for (Bin &bin : bins_) give_back_chain(bin.split(bin.count() / 2));
}

bool MediumHeap::keep(Block *block) {
  const auto address = reinterpret_cast<Address>(block);
  const MediumMap &map = medium_map_at(Segment::of(address), address);
  const uint32_t at = medium_granule(address);
  if (!map.begins_at(at)) return false;
  const uint32_t size = map.length_at(at);
  const unsigned size_class = kMediumClasses.of(size);
  if (!kMediumClasses.is_exact(size) || !bins_[size_class].has_room()) return false;
  push(block, size_class);
  return true;
}

void MediumHeap::close() {
  for (Bin &bin : bins_) give_back_chain(bin.take_all());
}

// Gives back the pages that lay in holes at the look before and still do.
void MediumHeap::decay(unsigned most_spans) {
  for (unsigned list = kFirstListWithPages; list < kLists; ++list)
    for (SpanInfo *span = spans_[list].front(); span && most_spans > 0; --most_spans) {
      decay(*span);
      span = SpanList::after(span);
    }
}

void MediumHeap::decay(SpanInfo &span) {
  const auto cover = medium_map(Segment::of(&span), span).cover();
  uint64_t unused = 0;
  for (Range hole = cover.next_hole(0); hole; hole = cover.next_hole(hole.end()))
    unused |= pages_within(hole);
  give_back_aged(span, unused);
}

} // namespace abut::heap
