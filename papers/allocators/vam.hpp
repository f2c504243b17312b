// Vam (Feng and Berger, section 3), and its variants with headers and with bitmaps (section 4.3).
#pragma once

#include "allocators/layers/chunk_lists.hpp"
#include "allocators/layers/classes.hpp"
#include "allocators/layers/direct.hpp"
#include "allocators/layers/orders.hpp"
#include "allocators/layers/regions.hpp"
#include "allocators/layers/segregated_pages.hpp"
#include "allocators/layers/sources.hpp"

namespace abut::allocators {

using layers::Grain;
using layers::Release;

// Small blocks, below 128 bytes, in pages, without headers but for kHeader; medium ones in blocks of four pages and
// large ones in regions of twenty, all of these with headers, in areas of their own; above 32 KiB a mapping each.
template <class Slots, size_t kHeader>
class VamHeap {
  using Manager = layers::PageManager<layers::PageBlock<Slots>, layers::RunsByLength>;
  using Regions = layers::PageRegions<Manager, 20>;
  static constexpr size_t kLeast = 504 + 8; // the smallest large object and its header
  template <size_t kLargest, size_t kCellHeader, uint32_t kPages>
  using Blocks = layers::BlockPolicy<layers::EightByteClasses<kLargest + kCellHeader>, Slots,
                                     layers::NewestFirst, kCellHeader, false, kPages>;

public:
  explicit VamHeap(Grain grain)
      : small_(headless_, grain), medium_(headed_, grain), large_(grain, Regions(headed_)) {}

  void *allocate(size_t bytes, size_t align) {
    if (small_.serves(bytes, align)) return small_.allocate(bytes, align);
    if (medium_.serves(bytes, align)) return medium_.allocate(bytes, align);
    if (bytes <= 32 * KiB && align <= 32 * KiB) return large_.allocate(bytes, align);
    return direct_.allocate(bytes, align);
  }

  Release release(void *block) {
    return served_by(*this, block, [=](auto &part) { return part.release(block); });
  }
  size_t usable(const void *block) const {
    return served_by(*this, block, [=](auto &part) { return part.usable(block); });
  }

private:
  // Calls `visit` with the part that `block` is of: the area tells, and then the page.
  template <class Self, class Visit>
  static auto served_by(Self &self, const void *block, Visit visit) {
    const layers::AreaKind kind = layers::kind_of(block);
    if (kind == layers::AreaKind::runs) return visit(self.small_);
    if (kind != layers::AreaKind::chunks) return visit(self.direct_);
    const auto *run = Manager::head_of(block);
    return run != nullptr && run->data.each != 0 ? visit(self.medium_) : visit(self.large_);
  }

  Manager headless_{layers::AreaKind::runs};
  Manager headed_{layers::AreaKind::chunks};
  layers::SegregatedPages<Blocks<120, kHeader, 1>, Manager> small_;
  layers::SegregatedPages<Blocks<496, 8, 4>, Manager> medium_;
  layers::Regions<layers::BestFitTable<80 * KiB>, kLeast, Regions, false, true> large_;
  layers::Direct direct_;
};

using Vam = VamHeap<layers::ReapSlots, 0>;
using VamHeader = VamHeap<layers::ReapSlots, 8>;
using VamBitmap = VamHeap<layers::BitmapSlots<512>, 0>;

} // namespace abut::allocators
