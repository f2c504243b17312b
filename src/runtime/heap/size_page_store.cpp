#include "heap/size_page_store.hpp"

#include "heap/huge_cache.hpp"
#include "heap/huge_pages.hpp"

#include <cstring>

namespace abut::heap {

constinit SizePageStore size_page_store;

SizeSegment *SizePageStore::add_segment() {
  void *memory =
      segment_map.map(kSegmentBytes, kSegmentBytes, kSegmentBytes, SegmentKind::size_pages);
  if (memory == nullptr) return nullptr;
  advise_huge_pages(memory, kSegmentBytes);
  auto *segment = static_cast<SizeSegment *>(memory); // all of it reads as zero
  segment->unused = segment->clean = SizeSegment::kAll;
  all_.push_back(segment);
  by_room_.push_front(segment);
  ++segments_;
  return segment;
}

void SizePageStore::drop_segment(SizeSegment *segment) {
  by_room_.remove(segment);
  all_.remove(segment);
  --segments_;
  segment_map.unmap(segment, kSegmentBytes, kSegmentBytes);
}

SizePage *SizePageStore::take() {
  bool has_grown = false;
  SizePage *page = nullptr;
  {
    std::lock_guard guard(lock_);
    SizeSegment *segment = by_room_.front();
    has_grown = segment == nullptr;
    if (segment == nullptr) segment = add_segment();
    if (segment == nullptr) return nullptr;
    const auto index = static_cast<unsigned>(std::countr_zero(segment->unused));
    const uint64_t bit = uint64_t{1} << index;
    segment->unused &= ~bit;
    if (segment->unused == 0) by_room_.remove(segment);
    if ((segment->dirty & bit) != 0) {
      retention.subtract_resident(segment->touched[index]);
      segment->dirty &= ~bit;
      if (segment->dirty == 0) by_age_.remove(segment);
    }
    page = page_of(segment, index);
    if ((segment->clean & bit) != 0)
      retention.took(kPagesInUnit);
    else
      std::memset(static_cast<void *>(page), 0, sizeof(SizePage));
    segment->clean &= ~bit;
    taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  pages_taken.add(kPagesInUnit);
  if (has_grown) make_room(kPagesInSegment);
  return page;
}

// Pages that were not to be had are unused again.
void SizePageStore::put(SizeSegment *segment, uint64_t pages) {
  if (segment->unused == 0) by_room_.push_front(segment);
  segment->unused |= pages;
}

void SizePageStore::give_back(SizePage *page, uint32_t touched) {
  const auto address = reinterpret_cast<Address>(page);
  auto *segment = reinterpret_cast<SizeSegment *>(round_down(address, kSegmentBytes));
  const unsigned index = unit_in_segment(address);
  pages_taken.subtract(kPagesInUnit);
  {
    std::lock_guard guard(lock_);
    put(segment, uint64_t{1} << index);
    if (segment->dirty != 0) by_age_.remove(segment);
    by_age_.push_back(segment);
    segment->dirty |= uint64_t{1} << index;
    segment->touched[index] = static_cast<uint8_t>(touched);
    segment->freed_at = os::coarse_milliseconds();
    retention.add_resident(touched);
  }
  while (retention.exceeded()) {
    const size_t given_back = purge_oldest(~uint64_t{0});
    if (given_back == 0) break;
    retention.gave_back(given_back);
  }
}

// While the kernel works, the pages count as used and no lock is held. Pages that it refuses, as it does when they are
// locked, stay resident and are not tried again until they have been used.
size_t SizePageStore::purge_oldest(uint64_t freed_before) {
  SizeSegment *segment = nullptr;
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
      given_back += segment->touched[std::countr_zero(left)];
    retention.subtract_resident(given_back);
  }
  uint64_t clean = 0;
  for (uint64_t left = pages; left != 0; left &= left - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(left));
    if (os::discard(page_of(segment, index), segment->touched[index] * kPageBytes))
      clean |= uint64_t{1} << index;
  }
  std::lock_guard guard(lock_);
  put(segment, pages);
  segment->clean |= clean;
  if (segment->unused == SizeSegment::kAll && segment->dirty == 0) drop_segment(segment);
  return given_back;
}

void SizePageStore::decay(uint64_t now) {
  const auto wait = static_cast<uint64_t>(option_value(Option::decay_ms));
  if (now < wait) return;
  while (purge_oldest(now - wait) != 0) {
  }
}

void SizePageStore::trim() {
  while (purge_oldest(~uint64_t{0}) != 0) {
  }
}

} // namespace abut::heap
