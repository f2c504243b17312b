// Where a small block lies, and whose it is, for layers that follow a program's pointers.
//
// Of blocks of the running thread's own heaps only, under their lock: nobody else gives their pages away meanwhile.
#pragma once

#include "heap/heap.hpp"

namespace abut::heap {

struct Extent {
  Address begin = 0;
  Address end = 0;

  bool holds(Address address) const { return address - begin < end - begin; }
};

// The heap of `keeper`'s thread, `keeper` itself or a side heap, on whose pages of small blocks an address lies; null
// for any other address. The first looks at pages in birth order alone.
inline LocalHeap *birth_owner(LocalHeap *keeper, Address address) {
  if (segment_map.kind_at(address) != SegmentKind::pages) return nullptr;
  Segment *segment = Segment::of(address);
  const uint32_t tag = segment->tag_at(address);
  if (tag == keeper->small.tag()) return keeper;
  if (tier_of(tag) != Tier::small) return nullptr;
  LocalHeap *owner = segment->span_at(address).owner;
  return owner != nullptr && owner->keeper == keeper ? owner : nullptr;
}

inline LocalHeap *small_owner(LocalHeap *keeper, Address address) {
  if (const SizePage *page = size_page_at(address)) return page->owner == keeper ? keeper : nullptr;
  return birth_owner(keeper, address);
}

// Where the small block of `keeper`'s thread around an address lies; nowhere if there is none.
inline Extent extent_of(LocalHeap *keeper, Address address) {
  if (const SizePage *page = size_page_at(address)) {
    if (page->owner != keeper) return {};
    const Address begin = page->block_around(address);
    if (begin == 0 || page->state_of(begin) != BlockState::live) return {};
    return {begin, begin + page->block_bytes};
  }
  if (birth_owner(keeper, address) == nullptr) return {};
  const SmallMap &map = Segment::of(address)->line_at(address);
  const Address page = round_down(address, kPageBytes);
  for (uint32_t at = granule_in_page(address) + 1; at-- > 0;)
    if (map.begins_at(at)) {
      const Address begin = page + at * Granules::kBytes;
      const Address end = begin + map.length_at(at) * Granules::kBytes;
      return address < end ? Extent{begin, end} : Extent{};
    }
  return {};
}

} // namespace abut::heap
