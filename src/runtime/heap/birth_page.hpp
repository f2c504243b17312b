// A birth page: blocks of up to 1008 bytes of all sizes side by side, in the order in which they were allocated.
//
// One byte for each granule of 16 bytes, a cell, says what begins there. The cells of all pages of a segment lie at its
// beginning, in the order of the granules:
//
//   0         nothing: free, or the inside of a block
//   1 to 63   a live block of so many granules
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

constexpr bool is_live(Cell cell) { return static_cast<int8_t>(cell) > 0; }
constexpr uint32_t granules_of(Cell cell) { return cell % 64; }

inline constexpr uint32_t kGranulesInPage = kBlockPageBytes / Granules::kBytes;
inline constexpr size_t kBirthMax = 63 * Granules::kBytes; // bytes of a block in a birth page

// Where birth order is chosen, it ends here: of four lines or more, a block has few in common with what was born beside it,
// while a page of such blocks comes and goes soon (long_pages()).
inline constexpr size_t kBirthOrderMax = 15 * Granules::kBytes;
static_assert(long_pages(kBirthOrderMax) == LongPages::never &&
              long_pages(kBirthOrderMax + Granules::kBytes) != LongPages::never);

constexpr uint32_t granules_for(size_t bytes) {
  return static_cast<uint32_t>((bytes + Granules::kBytes - 1) / Granules::kBytes);
}
constexpr uint32_t granule_at(Address address) {
  return static_cast<uint32_t>(address % kBlockPageBytes / Granules::kBytes);
}
inline Cell *cell_at(Address address) {
  return reinterpret_cast<Cell *>(round_down(address, kSegmentBytes)) +
         address % kSegmentBytes / Granules::kBytes;
}

// Of the 4 KiB around an address, see PageSegment.
inline uint8_t &stretch_label(Address address) {
  auto &labels = PageSegment::of(address)->labels[PageSegment::index_of(address)];
  return labels[address % kBlockPageBytes / kPageBytes];
}

inline Cell *cells_of(const Page &page) { return page.states; }
inline Address granule_address(const Page &page, uint32_t granule) {
  return page.begin + granule * Granules::kBytes;
}

// A block in a birth page; or none.
struct BirthBlock {
  Page *page = nullptr;
  Cell *cell = nullptr;
  uint32_t granules = 0;

  explicit operator bool() const { return page != nullptr; }
  size_t bytes() const { return granules * Granules::kBytes; }
};

// The live block that begins at `address`, which lies in a segment of such pages. The cells of a page that is no heap's are
// no_states.
[[gnu::always_inline]] inline BirthBlock live_birth_block_in(Address address) {
  Page &page = PageSegment::page_of(address);
  if (address % Granules::kBytes != 0) return {};
  Cell *cell = load_plainly(page.states) + granule_at(address);
  int32_t granules = static_cast<int8_t>(load_plainly(*cell)); // NOLINT: signed, as is_live()
  __asm__("" : "+r"(granules));                                // so that it is extended once
  if (granules <= 0) return {};                                // is_live()
  return {&page, cell, static_cast<uint32_t>(granules)};
}
inline BirthBlock live_birth_block(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  return segment_map.kind_at(address) == SegmentKind::birth_pages ? live_birth_block_in(address)
                                                                  : BirthBlock{};
}

// As for size pages, but that the count ends below zero: that is one comparison less.
[[gnu::always_inline]] inline bool free_block(const BirthBlock &block) {
  const auto granules = static_cast<int32_t>(block.granules);
#if defined(__SANITIZE_THREAD__)
  if (std::atomic_ref(block.page->frees_left).fetch_sub(granules, std::memory_order_relaxed) <
      granules)
#else
  if ((block.page->frees_left -= granules) < 0) [[unlikely]]
#endif
    return false;
  store_released<Cell>(*block.cell, 0);
  return true;
}

inline bool is_due(const BirthBlock &block) { return load_plainly(block.page->frees_left) < 0; }

// The block or reserved cell around an address of a birth page in use, in granules of its page; none if there is none.
inline Range birth_range_at(const Page &page, Address address) {
  const uint32_t at = granule_at(address);
  const Cell *cells = cells_of(page);
  for (uint32_t behind = at + 1; behind > 0 && at + 1 - behind < kReserved - 1; --behind)
    if (const Cell cell = load_plainly(cells[behind - 1]); cell != 0)
      return behind - 1 + granules_of(cell) > at ? Range{behind - 1, granules_of(cell)} : Range{};
  return {};
}

} // namespace abut::heap
