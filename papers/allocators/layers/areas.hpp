// Areas: 16 MiB of addresses that are used alike (Vam, section 3.3).
//
// A byte for each tells whether its blocks have headers, which is all that free() needs to know to find the rest.
// They are mapped through the segment map that the default heap has, so that they lie side by side.
#pragma once

#include "heap/segment_map.hpp"

namespace abut::layers {

inline constexpr size_t kAreaBytes = 16 * MiB;

// The kinds that areas have here: whole pages of equal cells, or chunks with boundary tags.
using AreaKind = heap::SegmentKind;

inline constinit heap::SegmentMap area_map;

inline Address area_of(const void *memory) {
  return round_down(reinterpret_cast<Address>(memory), kAreaBytes);
}

inline AreaKind kind_of(const void *memory) { return area_map.kind_at(area_of(memory)); }

// A fresh area of zeroed memory; null where there is none to be had.
inline void *map_area(AreaKind kind) {
  return area_map.map(kAreaBytes, kAreaBytes, kAreaBytes, kind);
}

inline void unmap_area(void *area) { area_map.unmap(area, kAreaBytes, kAreaBytes); }

} // namespace abut::layers
