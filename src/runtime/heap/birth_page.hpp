// A birth page: blocks of all sizes side by side, in the order in which they were allocated.
//
//   small    64 KiB    granules of  16 bytes   blocks of up to 1008 bytes
//   medium  256 KiB    granules of 512 bytes   blocks of up to 32 KiB
//
// One byte for each granule, the cells at the page's beginning, says what begins there:
//
//   0         nothing: free, or the inside of a block
//   1 to 65   a live block of so many granules
//   + 128     a reserved cell: memory that is set aside for the object that belongs there (placement)
//   + 192     one that is to be reserved later
//
// To free a block is to clear its byte, as in a size page (page.hpp): by any thread, without a lock. What is free beside it
// is one hole with it.
#pragma once

#include "base/bits.hpp"
#include "heap/page.hpp"

namespace abut::heap {

using Cell = uint8_t;
inline constexpr Cell kReserved = 128, kSetAside = 192;

constexpr bool is_live(Cell cell) { return cell - 1U < kReserved - 1U; }
constexpr uint32_t granules_of(Cell cell) { return cell < kReserved ? cell : cell % 64; }

template <unsigned PageShift, unsigned GranuleShift, SegmentKind Kind>
struct BirthShape {
  static constexpr unsigned kPageShift = PageShift;
  static constexpr SegmentKind kKind = Kind;
  static constexpr size_t kPageSize = size_t{1} << PageShift;
  static constexpr size_t kGranule = size_t{1} << GranuleShift;
  static constexpr uint32_t kGranules = 1U << (PageShift - GranuleShift); // in a page
  static constexpr uint32_t kFirst =
      kGranules / kGranule == 0 ? 1 : kGranules / kGranule; // behind the cells
  using Segment = PageSegment<PageShift>;

  static constexpr uint32_t granules_for(size_t bytes) {
    return static_cast<uint32_t>((bytes + kGranule - 1) >> GranuleShift);
  }
  static constexpr uint32_t granule_at(Address address) {
    return static_cast<uint32_t>(address % kPageSize >> GranuleShift);
  }
  static Cell *cell_at(Address address) {
    return reinterpret_cast<Cell *>(round_down(address, kPageSize)) + granule_at(address);
  }
};
using SmallBirth = BirthShape<kSmallPageShift, 4, SegmentKind::birth_pages>;
using MediumBirth = BirthShape<kMediumPageShift, 9, SegmentKind::medium_pages>;
// Blocks of whole pages get a granule more, so that they do not all begin in one set of the caches.
constexpr uint32_t medium_granules(size_t bytes) {
  const uint32_t granules = MediumBirth::granules_for(bytes);
  return granules * MediumBirth::kGranule % kPageBytes == 0 ? granules + 1 : granules;
}
inline constexpr size_t kBirthMax =
    63 * SmallBirth::kGranule; // bytes of a block in a small birth page

// The cells of a birth page.
inline Cell *cells_of(const Page &page) { return reinterpret_cast<Cell *>(page.states); }

// A block in a birth page; or none.
struct BirthBlock {
  Page *page = nullptr;
  Cell *cell = nullptr;
  uint32_t granules = 0;
  size_t bytes = 0;

  explicit operator bool() const { return page != nullptr; }
};

// The live block that begins at `address`, which lies in a segment of such pages.
template <class Shape>
BirthBlock live_birth_block_in(Address address) {
  auto *segment = Shape::Segment::of(address);
  Page &page = segment->pages[Shape::Segment::index_of(address)];
  if (load_plainly(page.states) == no_states || address % Shape::kGranule != 0 ||
      Shape::granule_at(address) < Shape::kFirst)
    return {};
  Cell *cell = Shape::cell_at(address);
  const Cell value = load_plainly(*cell);
  if (!is_live(value)) return {};
  return {&page, cell, value, value * Shape::kGranule};
}
inline BirthBlock live_birth_block(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  const SegmentKind kind = segment_map.kind_at(address);
  if (kind == SmallBirth::kKind) return live_birth_block_in<SmallBirth>(address);
  if (kind == MediumBirth::kKind) return live_birth_block_in<MediumBirth>(address);
  return {};
}

// As for size pages.
inline bool free_block(const BirthBlock &block) {
  const auto granules = static_cast<int32_t>(block.granules);
#if defined(__SANITIZE_THREAD__)
  const int32_t left =
      std::atomic_ref(block.page->frees_left).fetch_sub(granules, std::memory_order_relaxed) -
      granules;
#else
  const int32_t left = block.page->frees_left -= granules;
#endif
  if (left <= 0) return false;
  store_released<Cell>(*block.cell, 0);
  return true;
}

// The block or reserved cell around an address of a small birth page in use, in granules of its page; none if there is none.
inline Range birth_range_at(const Page &page, Address address) {
  const uint32_t at = SmallBirth::granule_at(address);
  const Cell *cells = cells_of(page);
  for (uint32_t begin = at; begin >= SmallBirth::kFirst && at - begin < kReserved - 1; --begin)
    if (const Cell cell = load_plainly(cells[begin]); cell != 0)
      return begin + granules_of(cell) > at ? Range{begin, granules_of(cell)} : Range{};
  return {};
}

} // namespace abut::heap
