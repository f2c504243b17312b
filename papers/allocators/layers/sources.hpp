// Where the memory of chunks comes from: parts of areas, or whole ones.
#pragma once

#include "allocators/layers/page_manager.hpp"

namespace abut::layers {

// Regions of kRegionPages, or of what one request needs where that is more, from a page manager (Vam: 20 pages).
template <class Manager, uint32_t kRegionPages>
class PageRegions {
public:
  static constexpr bool kKeepsLast = false;

  explicit PageRegions(Manager &manager) : manager_(manager) {}

  void *take(size_t bytes) {
    const Pages needed = Pages::holding(bytes);
    auto *record = manager_.take(needed.n > kRegionPages ? needed : Pages{kRegionPages});
    return record != nullptr ? reinterpret_cast<void *>(record->memory()) : nullptr;
  }
  void give(void *region) { manager_.give(Manager::head_of(region)); }

  // Where the region begins that `memory` lies in, and how long it is; 0 where there is none.
  static Address begin_of(const void *memory) {
    const auto *record = Manager::head_of(memory);
    return record != nullptr ? record->memory() : 0;
  }
  static size_t length_of(const void *memory) { return Manager::head_of(memory)->run.bytes(); }

private:
  Manager &manager_;
};

// A whole area at a time, side by side: what the papers' allocators had from sbrk().
class WholeAreas {
public:
  static constexpr bool kKeepsLast = true;

  void *take(size_t bytes) { return bytes <= kAreaBytes ? map_area(AreaKind::chunks) : nullptr; }
  void give(void *area) { unmap_area(area); }
  static Address begin_of(const void *memory) { return area_of(memory); }
  static size_t length_of(const void *) { return kAreaBytes; }
};

static_assert(RegionSource<WholeAreas>);

} // namespace abut::layers
