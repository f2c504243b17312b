// Vam (Feng and Berger, section 3), and its variants with headers and with bitmaps (section 4.3).
#pragma once

#include "layers/chunk_lists.hpp"
#include "layers/classes.hpp"
#include "layers/direct.hpp"
#include "layers/regions.hpp"
#include "layers/run_orders.hpp"
#include "layers/segregated_pages.hpp"
#include "layers/sources.hpp"

namespace abut::allocators {

using layers::Grain;
using layers::Release;

template <class S, size_t kHeader>
struct VamPages {
  using Slots = S;
  using Classes = layers::EightByteClasses<496 + kHeader>;
  template <class Record>
  using Order = layers::NewestFirst<Record>;
  static constexpr size_t kOffset = kHeader;
  static constexpr bool kRecordInPage = false;
  // One page below 128 bytes, four for medium sizes, so that less is lost at the end.
  static constexpr Pages pages(size_t each) { return {each < 128 + kHeader ? 1U : 4U}; }
};

struct VamRegions {
  using Index = layers::BestFitTable<80 * KiB>;
  static constexpr size_t kLeast = 504 + 8; // the smallest large object and its header
  static constexpr bool kBump = false;
  static constexpr bool kDiscard = true;
};

// Small and medium sizes in page blocks, large ones in regions of twenty pages, those above 32 KiB mapped.
template <class Slots, size_t kHeader>
class VamHeap {
  using Policy = VamPages<Slots, kHeader>;
  using Blocks = layers::PageManager<layers::PageBlock<Slots>, layers::RunsByLength>;
  struct NoData {};
  using Large = layers::PageManager<NoData, layers::RunsByLength>;

public:
  explicit VamHeap(Grain grain)
      : grain_(grain), large_(grain, layers::PageRegions<Large, 20>(large_pages_)) {}

  void *allocate(size_t bytes, size_t align) {
    const size_t cell =
        round_up(layers::rounded(bytes + kHeader, grain_), kHeader == 0 ? align : 1);
    if (cell <= Policy::Classes::kMax && align <= (kHeader == 0 ? kPageBytes : bytes_of(grain_)))
      return after_header(small_.allocate(cell));
    if (bytes <= 32 * KiB && align <= 32 * KiB) return large_.allocate(bytes, align);
    return direct_.allocate(bytes, align);
  }

  Release release(void *block) {
    switch (layers::kind_of(block)) {
    case layers::AreaKind::pages: return small_.release(before_header(block));
    case layers::AreaKind::chunks: return large_.release(block);
    default: return direct_.release(block);
    }
  }

  size_t usable(const void *block) const {
    switch (layers::kind_of(block)) {
    case layers::AreaKind::pages: {
      const size_t cell = small_.usable(before_header(const_cast<void *>(block)));
      return cell != 0 ? cell - kHeader : 0;
    }
    case layers::AreaKind::chunks: return large_.usable(block);
    default: return direct_.usable(block);
    }
  }

private:
  static void *before_header(void *block) { return static_cast<char *>(block) - kHeader; }
  static void *after_header(void *cell) {
    if (kHeader == 0 || cell == nullptr) return cell;
    *static_cast<size_t *>(cell) = 1; // the header is written as it is where all blocks have one
    return static_cast<char *>(cell) + kHeader;
  }

  Grain grain_;
  Blocks block_pages_{layers::AreaKind::pages};
  Large large_pages_{layers::AreaKind::chunks};
  layers::SegregatedPages<Policy, Blocks> small_{block_pages_};
  layers::Regions<VamRegions, layers::PageRegions<Large, 20>> large_;
  layers::Direct direct_;
};

using Vam = VamHeap<layers::ReapSlots, 0>;
using VamHeader = VamHeap<layers::ReapSlots, 8>;
using VamBitmap = VamHeap<layers::BitmapSlots<512>, 0>;

} // namespace abut::allocators
