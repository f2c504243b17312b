#include "heap/page_store.hpp"

#include "heap/huge_cache.hpp"
#include "heap/huge_pages.hpp"

#include <bit>
#include <cstring>

namespace abut::heap {

constinit SmallPages small_pages;
constinit MediumPages medium_pages;
constinit BirthPages birth_pages;

namespace {

// Of a segment at first; each further piece is as long as all before.
constexpr size_t kFirstPiece = 256 * KiB;

void disown(Page &page) {
  store_released<LocalHeap *>(page.owner, nullptr);
  page.frees_left = 0;
  page.reciprocal = kHalvesOfPage;
  store_released<State *>(page.states, no_states);
}

} // namespace

template <unsigned Shift, SegmentKind Kind>
auto PageStore<Shift, Kind>::add_segment() -> Segment * {
  size_t piece = wants_huge_pages() ? kSegmentBytes : std::max(kFirstPiece, 2 * kBytes);
  void *memory = segment_map.map(piece, kSegmentBytes, kSegmentBytes, Kind);
  if (memory == nullptr) { // under a limit, the least may still be had
    piece = 2 * kBytes;
    memory = segment_map.map(piece, kSegmentBytes, kSegmentBytes, Kind);
  }
  if (memory == nullptr) return nullptr;
  advise_huge_pages(memory, piece);
  auto *segment = static_cast<Segment *>(memory); // all of it reads as zero
  for (Page &page : segment->pages) disown(page);
  segment->mapped = piece;
  segment->unused = segment->clean = Segment::kAll;
  all_.push_back(segment);
  by_room_.push_front(segment);
  ++segments_;
  if constexpr (Kind == SegmentKind::small_pages)
    small_segments.add(reinterpret_cast<Address>(memory));
  return segment;
}

template <unsigned Shift, SegmentKind Kind>
void PageStore<Shift, Kind>::drop_segment(Segment *segment) {
  if constexpr (Kind == SegmentKind::small_pages)
    small_segments.remove(reinterpret_cast<Address>(segment));
  by_room_.remove(segment);
  all_.remove(segment);
  --segments_;
  segment_map.unmap(segment, segment->mapped, kSegmentBytes);
}

// Where somebody else has mapped something in the segment's place, it is as long as it is.
template <unsigned Shift, SegmentKind Kind>
bool PageStore<Shift, Kind>::map_up_to(Segment *segment, unsigned index) {
  const size_t end = size_t{index + 1} << Shift;
  if (end <= segment->mapped) return true;
  const size_t doubled = std::min(std::max(std::bit_ceil(end), 2 * segment->mapped), kSegmentBytes);
  void *place = reinterpret_cast<char *>(segment) + segment->mapped;
  for (const size_t length : {doubled, end}) { // under a limit, the least may still be had
    const size_t more = length - segment->mapped;
    if (os::map_at(place, more) != os::Mapped::done) continue;
    segment_map.count_mapped(static_cast<ptrdiff_t>(more));
    advise_huge_pages(place, more);
    std::atomic_ref(segment->mapped).store(length, std::memory_order_relaxed);
    return true;
  }
  return false;
}

// Null if the rest of the segment cannot be mapped; it is not tried again.
template <unsigned Shift, SegmentKind Kind>
Page *PageStore<Shift, Kind>::take_from(Segment *segment) {
  const auto index = static_cast<unsigned>(std::countr_zero(segment->unused));
  const uint64_t bit = uint64_t{1} << index;
  const bool mapped = map_up_to(segment, index);
  segment->unused &= mapped ? ~bit : bit - 1;
  if (segment->unused == 0) by_room_.remove(segment);
  if (!mapped) return nullptr;
  if ((segment->dirty & bit) != 0) {
    retention.subtract_resident(segment->resident[index]);
    segment->dirty &= ~bit;
    if (segment->dirty == 0) by_age_.remove(segment);
  }
  Page *page = &segment->pages[index];
  page->is_clean = (segment->clean & bit) != 0;
  segment->clean &= ~bit;
  return page;
}

template <unsigned Shift, SegmentKind Kind>
Page *PageStore<Shift, Kind>::take(LocalHeap *owner, size_t header) {
  bool has_grown = false;
  Page *page = nullptr;
  {
    std::lock_guard guard(lock_);
    while (page == nullptr) {
      Segment *segment = by_room_.front();
      has_grown = segment == nullptr;
      if (segment == nullptr) segment = add_segment();
      if (segment == nullptr) return nullptr;
      page = take_from(segment);
      if (page == nullptr && has_grown) return nullptr;
    }
    taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  auto *segment = Segment::of(reinterpret_cast<Address>(page));
  auto *memory =
      reinterpret_cast<State *>(segment->address_of(static_cast<unsigned>(page - segment->pages)));
  if (page->is_clean)
    retention.took(kBytes / kPageBytes);
  else
    std::memset(static_cast<void *>(memory), 0, header);
  page->touched = 0;
  page->is_current = page->has_room = false;
  store_released(page->states, memory);
  store_released(page->owner, owner);
  pages_taken.add(kBytes / kPageBytes);
  if (has_grown) make_room(kPagesInSegment);
  return page;
}

// Pages that were not to be had are unused again.
template <unsigned Shift, SegmentKind Kind>
void PageStore<Shift, Kind>::put(Segment *segment, uint64_t pages) {
  if (segment->unused == 0) by_room_.push_front(segment);
  segment->unused |= pages;
}

template <unsigned Shift, SegmentKind Kind>
void PageStore<Shift, Kind>::give_back(Page *page, size_t written) {
  auto *segment = Segment::of(reinterpret_cast<Address>(page));
  const auto index = static_cast<unsigned>(page - segment->pages);
  disown(*page);
  pages_taken.subtract(kBytes / kPageBytes);
  {
    std::lock_guard guard(lock_);
    put(segment, uint64_t{1} << index);
    if (segment->dirty != 0) by_age_.remove(segment);
    by_age_.push_back(segment);
    segment->dirty |= uint64_t{1} << index;
    segment->resident[index] =
        std::max(segment->resident[index], static_cast<uint16_t>(pages_in(written)));
    segment->freed_at = os::coarse_milliseconds();
    retention.add_resident(segment->resident[index]);
  }
  while (retention.exceeded()) {
    const size_t given_back = give_back_oldest();
    if (given_back == 0) break;
    retention.gave_back(given_back);
  }
}

// While the kernel works, the pages count as used and no lock is held. Pages that it refuses, as it does when they are
// locked, stay resident and are not tried again until they have been used.
template <unsigned Shift, SegmentKind Kind>
size_t PageStore<Shift, Kind>::give_back_oldest(uint64_t freed_before) {
  Segment *segment = nullptr;
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
  // The rest of a segment that could not be mapped counts as used, and keeps it; it is rare.
  if (segment->unused == Segment::kAll && segment->dirty == 0) drop_segment(segment);
  return given_back;
}

template class PageStore<kSmallPageShift, SegmentKind::small_pages>;
template class PageStore<kMediumPageShift, SegmentKind::medium_pages>;
template class PageStore<kSmallPageShift, SegmentKind::birth_pages>;

size_t give_back_oldest_pages() {
  return small_pages.give_back_oldest() + medium_pages.give_back_oldest() +
         birth_pages.give_back_oldest();
}

void decay_pages(uint64_t now) {
  const auto wait = static_cast<uint64_t>(option_value(Option::decay_ms));
  if (now < wait) return;
  while (small_pages.give_back_oldest(now - wait) != 0) {
  }
  while (medium_pages.give_back_oldest(now - wait) != 0) {
  }
  while (birth_pages.give_back_oldest(now - wait) != 0) {
  }
}

void trim_pages() {
  while (give_back_oldest_pages() != 0) {
  }
}

Page *page_at(Address address) {
  Page *page = nullptr;
  switch (segment_map.kind_at(address)) {
  case SegmentKind::small_pages:
  case SegmentKind::birth_pages:
    page = &SmallSegment::of(address)->pages[SmallSegment::index_of(address)];
    break;
  case SegmentKind::medium_pages:
    page = &MediumSegment::of(address)->pages[MediumSegment::index_of(address)];
    break;
  default: return nullptr;
  }
  return page->owner != nullptr ? page : nullptr;
}

} // namespace abut::heap
