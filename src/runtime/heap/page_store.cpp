#include "heap/page_store.hpp"

#include "heap/huge_cache.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace abut::heap {

constinit PageStore size_pages(SegmentKind::size_pages);
constinit PageStore birth_pages(SegmentKind::birth_pages);
constinit Gauge pages_taken;
constinit Retention retention;

namespace {

constexpr unsigned kOwnPages = kBlockPageBytes / kPageBytes; // of 4 KiB, in a page

// So many segments are looked at for each page of a row.
constexpr unsigned kMostTries = 8;

// Milliseconds: far longer than a thread takes to read a word.
constexpr uint64_t kHiddenFor = 1000;

constexpr uint64_t bits_of(unsigned first, unsigned pages) {
  return ((uint64_t{1} << pages) - 1) << first; // of fewer than all
}

uint64_t mapped_pages(const PageSegment &segment) {
  return ~uint64_t{0} >> (kBlockPages - (segment.mapped >> kBlockPageShift));
}

// The first pages of rows within a set.
constexpr uint64_t rows_in(uint64_t set, Row row) {
  for (unsigned has = 1; has < row.pages;) {
    const unsigned more = std::min(has, row.pages - has);
    set &= set >> more;
    has += more;
  }
  return set & ~uint64_t{0} / ((uint64_t{1} << row.align) - 1); // every so many
}

// Of those the ones that leave no page of the set beside them. A single page is not worth looking further for.
constexpr uint64_t exact_rows_in(uint64_t set, Row row) {
  const uint64_t rows = rows_in(set, row);
  return row.pages == 1 ? rows : rows & ~(set << 1) & ~(set >> row.pages);
}

// The free pages that are resident and were last used as the row is to be: for a large block, or for others.
uint64_t dirty_like(const PageSegment &segment, Row row) {
  return segment.dirty & (row.is_large ? segment.large : ~segment.large);
}

// Of what was written to a row, from its beginning on, the part that lies in one of its pages: that many 4 KiB of the page
// are resident, or more if they were before.
uint8_t record_written(PageSegment &segment, unsigned index, size_t written,
                       unsigned pages_before) {
  const size_t before = pages_before * kBlockPageBytes;
  const size_t bytes = written > before ? std::min(written - before, kBlockPageBytes) : 0;
  uint8_t &resident = segment.resident[index];
  return resident = std::max(resident, static_cast<uint8_t>(Pages::holding(bytes).n));
}

// 4 KiB of those pages.
size_t resident_of(const PageSegment &segment, uint64_t pages) {
  size_t resident = 0;
  for (; pages != 0; pages &= pages - 1) resident += segment.resident[std::countr_zero(pages)];
  return resident;
}

// Gives back what is resident of free pages, neighbours at once; those that the kernel took.
uint64_t discard(PageSegment &segment, uint64_t pages) {
  uint64_t taken = 0;
  while (pages != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(pages));
    unsigned last = first;
    while (segment.resident[last] == kOwnPages && (pages >> last >> 1 & 1) != 0) ++last;
    const uint64_t range = bits_of(first, last - first + 1);
    const size_t bytes = (last - first) * kBlockPageBytes + segment.resident[last] * kPageBytes;
    pages &= ~range;
    if (!os::discard(reinterpret_cast<void *>(segment.address_of(first)), bytes)) continue;
    taken |= range;
    std::fill(segment.resident + first, segment.resident + last + 1, uint8_t{0});
  }
  return taken;
}

} // namespace

// Counts unused pages as used; how many of them were clean.
unsigned PageStore::use(PageSegment *segment, uint64_t pages) {
  segment->unused &= ~pages;
  if (segment->unused == 0) by_room_.remove(segment);
  const uint64_t dirty = segment->dirty & pages;
  segment->dirty &= ~pages;
  if (dirty != 0) retention.subtract_resident(resident_of(*segment, dirty));
  if (dirty != 0 && segment->dirty == 0) by_age_.remove(segment);
  const auto clean = static_cast<unsigned>(std::popcount(segment->clean & pages));
  segment->clean &= ~pages;
  retention.took(clean * kOwnPages);
  return clean;
}

// The first of those rows, which are unused. None if there is none, or it cannot be mapped: where that is a single page, what is
// not mapped is not tried again.
PageStore::Taken PageStore::take_from(PageSegment *segment, uint64_t firsts, Row row) {
  if (firsts == 0) return {};
  const auto index = static_cast<unsigned>(std::countr_zero(firsts));
  if (map_up_to(segment, size_t{index + row.pages} << kBlockPageShift))
    return {&segment->pages[index], use(segment, bits_of(index, row.pages))};
  if (row.pages > 1) return {};
  segment->unused &= mapped_pages(*segment);
  if (segment->unused == 0) by_room_.remove(segment);
  return {};
}

// A row that is resident, in what was freed last: one that fits exactly, so that long ones are still there for long blocks; else
// any. Where a large block was, the next one comes before small ones, and the other way round: a program may leave most of a large
// block untouched, and small ones would be the first to write there.
PageStore::Taken PageStore::find_dirty(Row row) {
  PageSegment *alike = nullptr, *any = nullptr;
  PageSegment *segment = by_age_.back();
  for (unsigned tries = kMostTries * row.pages; segment != nullptr && tries > 0; --tries) {
    const uint64_t set = dirty_like(*segment, row);
    if (const uint64_t exact = exact_rows_in(set, row)) return take_from(segment, exact, row);
    if (alike == nullptr && rows_in(set, row) != 0) alike = segment;
    if (any == nullptr && rows_in(segment->dirty, row) != 0) any = segment;
    segment = ByAge::before(segment);
  }
  if (alike != nullptr) return take_from(alike, rows_in(dirty_like(*alike, row), row), row);
  return any != nullptr ? take_from(any, rows_in(any->dirty, row), row) : Taken{};
}

// What is resident comes first. A segment may leave its list when it is looked at. One without such a row comes last from then
// on: else all those of which a few pages are left would be looked at each time.
PageStore::Taken PageStore::find(Row row) {
  if (const Taken taken = find_dirty(row)) return taken;
  PageSegment *next = by_room_.front();
  for (unsigned tries = kMostTries * row.pages; next != nullptr && tries > 0; --tries) {
    PageSegment *segment = std::exchange(next, ByRoom::after(next));
    if (const Taken taken = take_from(segment, rows_in(segment->unused, row), row)) return taken;
    if (row.pages == 1) continue;
    by_room_.remove(segment);
    by_room_.push_back(segment);
  }
  return {};
}

PageStore::Taken PageStore::find_or_add(Row row) {
  if (const Taken taken = find(row)) return taken;
  PageSegment *segment = add_segment();
  return segment != nullptr ? take_from(segment, rows_in(segment->unused, row), row) : Taken{};
}

PageStore::Taken PageStore::take(LocalHeap *owner, Row row, unsigned states) {
  Taken taken;
  row.is_large = owner == nullptr;
  {
    std::lock_guard guard(lock_);
    taken = find_or_add(row);
    if (!taken) return {};
    PageSegment *segment = PageSegment::of(*taken.page);
    if (states != 0) taken.states = segment->slots.take(states / kLineBytes);
    if (states != 0 && taken.states == nullptr) {
      put(segment,
          bits_of(segment->index_of(*taken.page), row.pages)); // as if it had been written to
      return {};
    }
    taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (owner != nullptr) owned_ += row.pages;
  }
  Page *page = taken.page;
  page->is_clean = taken.clean == row.pages;
  page->is_current = page->has_room = false;
  for (unsigned i = 0; i < row.pages; ++i) {
    page[i].behind_head = static_cast<uint8_t>(i);
    store_released(page[i].owner, owner);
  }
  pages_taken.add(row.pages * kOwnPages);
  if (taken.clean != 0) make_room(taken.clean * kOwnPages);
  return taken;
}

bool PageStore::extend(const Page *page, unsigned pages, unsigned more) {
  PageSegment *segment = PageSegment::of(*page);
  const unsigned begin = segment->index_of(*page) + pages;
  if (begin + more > kBlockPages) return false;
  const uint64_t bits = bits_of(begin, more);
  unsigned clean = 0;
  {
    std::lock_guard guard(lock_);
    if ((segment->unused & bits) != bits) return false;
    if (!map_up_to(segment, size_t{begin + more} << kBlockPageShift)) return false;
    clean = use(segment, bits);
  }
  pages_taken.add(more * kOwnPages);
  if (clean != 0) make_room(clean * kOwnPages);
  return true;
}

// Pages that were not to be had are unused again.
void PageStore::put(PageSegment *segment, uint64_t pages) {
  if (segment->unused == 0) by_room_.push_front(segment);
  segment->unused |= pages;
}

void PageStore::give_back(Page *page, unsigned pages, size_t written) {
  PageSegment *segment = PageSegment::of(*page);
  const unsigned first = segment->index_of(*page);
  const State *states = page->states;
  const bool owned = page->owner != nullptr;
  for (unsigned i = 0; i < pages; ++i) disown(page[i]);
  pages_taken.subtract(pages * kBlockPageBytes / kPageBytes);
  {
    std::lock_guard guard(lock_);
    put(segment, bits_of(first, pages));
    if (owned) owned_ -= pages;
    if (owned && kind_ == SegmentKind::size_pages)
      segment->slots.give_back(states); // no page points at them any more
    if (segment->dirty != 0) by_age_.remove(segment);
    by_age_.push_back(segment);
    segment->dirty |= bits_of(first, pages);
    if (owned)
      segment->large &= ~bits_of(first, pages);
    else
      segment->large |= bits_of(first, pages);
    segment->freed_at = os::coarse_milliseconds();
    size_t resident = 0;
    for (unsigned i = 0; i < pages; ++i)
      resident += record_written(*segment, first + i, written, i);
    retention.add_resident(resident);
  }
  while (retention.exceeded()) {
    const size_t given_back = give_back_oldest();
    if (given_back == 0) break;
    retention.gave_back(given_back);
  }
}

// The last page that is left keeps what was written to it: it is counted when it goes back itself.
void PageStore::shorten(Page *page, unsigned pages, unsigned left, size_t written) {
  PageSegment *segment = PageSegment::of(*page);
  {
    std::lock_guard guard(lock_);
    record_written(*segment, segment->index_of(*page) + left - 1, written, left - 1);
  }
  if (left < pages) give_back(page + left, pages - left, written - left * kBlockPageBytes);
}

// While the kernel works, the pages count as used and no lock is held. Pages that it refuses, as it does when they are
// locked, stay resident and are not tried again until they have been used.
size_t PageStore::give_back_oldest(uint64_t freed_before) {
  PageSegment *segment = nullptr;
  uint64_t pages = 0;
  size_t given_back = 0;
  {
    std::lock_guard guard(lock_);
    segment = by_age_.front();
    if (segment == nullptr || segment->freed_at > freed_before) return 0;
    by_age_.remove(segment);
    pages = segment->dirty;
    segment->dirty = 0;
    segment->unused &= ~pages;
    if (segment->unused == 0) by_room_.remove(segment);
    given_back = resident_of(*segment, pages);
    retention.subtract_resident(given_back);
  }
  const uint64_t clean = discard(*segment, pages);
  {
    std::lock_guard guard(lock_);
    put(segment, pages);
    segment->clean |= clean;
    segment->slots.trim();
    const uint64_t all = PageSegment::all_of(kind_) & mapped_pages(*segment);
    if ((segment->unused & all) == all && segment->dirty == 0)
      drop_segment(segment);
    else
      refuse_huge_pages(segment);
  }
  // Where nothing was written to those pages, it is the next one's turn: callers go on until nothing goes back.
  return given_back != 0 ? given_back : give_back_oldest(freed_before);
}

size_t give_back_oldest_pages() {
  return size_pages.give_back_oldest() + birth_pages.give_back_oldest();
}

bool decay_pages(uint64_t now) {
  const auto wait = static_cast<uint64_t>(option_value(Option::decay_ms));
  if (now < wait) return true;
  for (PageStore *store : {&size_pages, &birth_pages}) {
    store->unmap_hidden(now - std::min(now, kHiddenFor));
    while (store->give_back_oldest(now - wait) != 0)
      if (os::coarse_milliseconds() - now >= kMostAtOnce) return false;
  }
  return true;
}

void trim_pages() {
  while (give_back_oldest_pages() != 0) {
  }
}

void advise_pages_again() {
  size_pages.advise_again();
  birth_pages.advise_again();
}

Page *page_at(Address address) {
  const SegmentKind kind = segment_map.kind_at(address);
  if (kind != SegmentKind::size_pages && kind != SegmentKind::birth_pages) return nullptr;
  Page &page = PageSegment::page_of(address);
  return load_plainly(page.owner) != nullptr ? page.head() : nullptr;
}

} // namespace abut::heap
