#include "heap/page_store.hpp"

#include "heap/huge_cache.hpp"
#include "heap/huge_pages.hpp"

#include <bit>
#include <cstring>

namespace abut::heap {

constinit PageStore size_pages(SegmentKind::size_pages);
constinit PageStore birth_pages(SegmentKind::birth_pages);

namespace {

// Of a segment at first, behind what describes its pages, and where memory is scarce; each further piece is as long as all
// before.
constexpr size_t kFirstPiece = 192 * KiB;
constexpr size_t kLeastPiece = kBlockPageBytes;
constexpr size_t kHugePiece = 2 * MiB; // where pages of 2 MiB are wanted

// With so many segments the kernel is asked for pages of 2 MiB: with fewer, the part of the last one that is not needed
// would be too large a share.
constexpr size_t kManySegments = 8;

constexpr unsigned kOwnPages = kBlockPageBytes / kPageBytes; // of 4 KiB, in a page

// So many segments are looked at for pages in a row.
constexpr unsigned kMostTries = 8;

constexpr uint64_t bits_of(unsigned first, unsigned pages) {
  return ((uint64_t{1} << pages) - 1) << first; // of fewer than all
}

void disown(Page &page) {
  store_released<LocalHeap *>(page.owner, nullptr);
  page.frees_left = 0;
  page.reciprocal = 0;
  store_released<State *>(page.states, no_states);
}

} // namespace

bool PageStore::wants_huge_pages() const {
  return huge_pages() == HugePages::always ||
         (huge_pages() == HugePages::large && segments_ >= kManySegments);
}

PageSegment *PageStore::add_segment() {
  const bool huge = wants_huge_pages();
  const size_t head = PageSegment::head_pages(kind_) * kBlockPageBytes;
  size_t piece = huge ? kHugePiece : head + kFirstPiece;
  void *memory = segment_map.map(piece, kSegmentBytes, kSegmentBytes, kind_);
  if (memory == nullptr) { // under a limit, the least may still be had
    piece = head + kLeastPiece;
    memory = segment_map.map(piece, kSegmentBytes, kSegmentBytes, kind_);
  }
  if (memory == nullptr) return nullptr;
  advise_huge_pages(memory, piece, huge);
  auto *segment = static_cast<PageSegment *>(memory); // all of it reads as zero
  for (Page &page : segment->pages) disown(page);
  segment->mapped = piece;
  segment->unused = segment->clean = PageSegment::all_of(kind_);
  all_.push_back(segment);
  by_room_.push_front(segment);
  ++segments_;
  page_segments.add(reinterpret_cast<Address>(memory), kind_);
  return segment;
}

void PageStore::drop_segment(PageSegment *segment) {
  page_segments.remove(reinterpret_cast<Address>(segment), kind_);
  by_room_.remove(segment);
  all_.remove(segment);
  --segments_;
  segment_map.unmap(segment, segment->mapped, kSegmentBytes);
}

// Where another mapping is in the segment's place, the segment stays as long as it is.
bool PageStore::map_up_to(PageSegment *segment, size_t end) const {
  if (end <= segment->mapped) return true;
  const size_t doubled = std::min(std::max(std::bit_ceil(end), 2 * segment->mapped), kSegmentBytes);
  void *place = reinterpret_cast<char *>(segment) + segment->mapped;
  for (const size_t length : {doubled, end}) { // under a limit, the least may still be had
    const size_t more = length - segment->mapped;
    if (os::map_at(place, more) != os::Mapped::done) continue;
    segment_map.count_mapped(static_cast<ptrdiff_t>(more));
    advise_huge_pages(place, more, wants_huge_pages());
    std::atomic_ref(segment->mapped).store(length, std::memory_order_relaxed);
    return true;
  }
  return false;
}

// The first of those. Null if there are not so many in a row, or they cannot be mapped: then what is not mapped is not tried
// again.
Page *PageStore::take_from(PageSegment *segment, uint64_t unused, unsigned pages) {
  uint64_t firsts = unused;
  for (unsigned i = 1; i < pages; ++i) firsts &= unused >> i;
  if (firsts == 0) return nullptr;
  const auto index = static_cast<unsigned>(std::countr_zero(firsts));
  const uint64_t bits = bits_of(index, pages);
  const bool mapped = map_up_to(segment, size_t{index + pages} << kBlockPageShift);
  segment->unused &=
      mapped ? ~bits : bits_of(0, static_cast<unsigned>(segment->mapped >> kBlockPageShift));
  if (segment->unused == 0) by_room_.remove(segment);
  if (!mapped) return nullptr;
  const uint64_t dirty = segment->dirty & bits;
  for (uint64_t left = dirty; left != 0; left &= left - 1)
    retention.subtract_resident(segment->resident[std::countr_zero(left)]);
  segment->dirty &= ~bits;
  if (dirty != 0 && segment->dirty == 0) by_age_.remove(segment);
  Page *page = &segment->pages[index];
  page->is_clean = (segment->clean & bits) == bits;
  segment->clean &= ~bits;
  retention.took(static_cast<unsigned>(std::popcount(segment->returned & bits)) * kOwnPages);
  segment->returned &= ~bits;
  return page;
}

Page *PageStore::find(unsigned pages) {
  if (PageSegment *segment = by_age_.back()) // what is resident comes first
    if (Page *page = take_from(segment, segment->dirty, pages)) return page;
  unsigned tries = kMostTries;
  for (PageSegment *segment = by_room_.front(); segment != nullptr && tries > 0; --tries) {
    PageSegment *next = ByRoom::after(segment); // it may leave the list
    if (Page *page = take_from(segment, segment->unused, pages)) return page;
    segment = next;
  }
  return nullptr;
}

Page *PageStore::find_or_add(unsigned pages) {
  if (Page *page = find(pages)) return page;
  PageSegment *segment = add_segment();
  return segment != nullptr ? take_from(segment, segment->unused, pages) : nullptr;
}

PageStore::Taken PageStore::take(LocalHeap *owner, unsigned pages, unsigned states) {
  Page *page = nullptr;
  State *room = nullptr;
  {
    std::lock_guard guard(lock_);
    page = find_or_add(pages);
    if (page == nullptr) return {};
    PageSegment *segment = PageSegment::of(*page);
    if (states != 0) room = segment->slots.take(states / kLineBytes);
    if (states != 0 && room == nullptr) {
      put(segment, bits_of(segment->index_of(*page), pages)); // as if it had been written to
      return {};
    }
    taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  page->touched = 0;
  page->is_current = page->has_room = false;
  for (unsigned i = 0; i < pages; ++i) {
    page[i].behind_head = static_cast<uint8_t>(i);
    store_released(page[i].owner, owner);
  }
  pages_taken.add(pages * kOwnPages);
  if (page->is_clean) make_room(pages * kOwnPages);
  return {page, room};
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
  for (unsigned i = 0; i < pages; ++i) disown(page[i]);
  pages_taken.subtract(pages * kBlockPageBytes / kPageBytes);
  {
    std::lock_guard guard(lock_);
    put(segment, bits_of(first, pages));
    if (kind_ == SegmentKind::size_pages)
      segment->slots.give_back(states); // no page points at them any more
    if (segment->dirty != 0) by_age_.remove(segment);
    by_age_.push_back(segment);
    segment->dirty |= bits_of(first, pages);
    segment->freed_at = os::coarse_milliseconds();
    for (uint8_t *resident = segment->resident + first;
         resident < segment->resident + first + pages; ++resident) {
      const size_t bytes = std::min(written, kBlockPageBytes);
      written -= bytes;
      *resident = std::max(*resident, static_cast<uint8_t>(Pages::holding(bytes).n));
      retention.add_resident(*resident);
    }
  }
  while (retention.exceeded()) {
    const size_t given_back = give_back_oldest();
    if (given_back == 0) break;
    retention.gave_back(given_back);
  }
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
    for (uint64_t left = pages; left != 0; left &= left - 1)
      given_back += segment->resident[std::countr_zero(left)];
    retention.subtract_resident(given_back);
  }
  uint64_t clean = 0;
  for (uint64_t left = pages; left != 0; left &= left - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(left));
    if (os::discard(reinterpret_cast<void *>(segment->address_of(index)),
                    segment->resident[index] * kPageBytes)) {
      clean |= uint64_t{1} << index;
      segment->resident[index] = 0;
    }
  }
  std::lock_guard guard(lock_);
  put(segment, pages);
  segment->clean |= clean;
  segment->returned |= clean;
  segment->slots.trim();
  // The rest of a segment that could not be mapped counts as used, and keeps it; it is rare.
  if (segment->unused == PageSegment::all_of(kind_) && segment->dirty == 0) drop_segment(segment);
  return given_back;
}

size_t give_back_oldest_pages() {
  return size_pages.give_back_oldest() + birth_pages.give_back_oldest();
}

void decay_pages(uint64_t now) {
  const auto wait = static_cast<uint64_t>(option_value(Option::decay_ms));
  if (now < wait) return;
  for (PageStore *store : {&size_pages, &birth_pages})
    while (store->give_back_oldest(now - wait) != 0) {
    }
}

void trim_pages() {
  while (give_back_oldest_pages() != 0) {
  }
}

Page *page_at(Address address) {
  const SegmentKind kind = segment_map.kind_at(address);
  if (kind != SegmentKind::size_pages && kind != SegmentKind::birth_pages) return nullptr;
  Page &page = PageSegment::page_of(address);
  return page.owner != nullptr ? page.head() : nullptr;
}

} // namespace abut::heap
