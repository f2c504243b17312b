// A segment: 4 MiB of pages with everything that describes them at its start.
//
// Each page has one line of description, found from the page's number alone. For a page of small blocks it is
// the page's block map, for the first pages of a medium span the span's
// map, for the first page of a large block its measures. The lines of free pages are zero.
#pragma once

#include "base/block_map.hpp"
#include "base/list.hpp"
#include "heap/geometry.hpp"
#include "heap/segment_map.hpp"

#include <algorithm>
#include <array>

namespace abut::heap {

class LocalHeap;

using SmallMap = BlockMap<kGranulesInPage>;
using MediumMap = BlockMap<kMediumGranulesInSpan>;
using RunMap = BlockMap<kPagesInSegment>;
static_assert(sizeof(SmallMap) == kLineBytes);
static_assert(sizeof(MediumMap) <= kPagesInUnit * kLineBytes);

// A large block's measures, on the line of its first page. Whoever holds the block writes them, and those who
// count blocks may read them meanwhile: hence relaxed atomic words.
class LargeInfo {
public:
  // Bytes from the start of the page to the block.
  uint64_t offset() const { return offset_.load(std::memory_order_relaxed); }

  // Requested; nought where no block begins.
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  void set(uint64_t offset, uint64_t bytes) {
    offset_.store(offset, std::memory_order_relaxed);
    bytes_.store(bytes, std::memory_order_relaxed);
  }
  void clear() { set(0, 0); }

private:
  std::atomic<uint64_t> offset_;
  std::atomic<uint64_t> bytes_;
};
static_assert(sizeof(LargeInfo) <= kLineBytes);

// A run of pages with one use by one heap. Sets of pages have a bit a page.
struct alignas(kLineBytes) SpanInfo {
  LocalHeap *owner;
  Link<SpanInfo> link;   // among its heap's spans with about as much room
  uint64_t touched;      // pages that were written to since the kernel gave them
  uint64_t aged;         // pages that held no block at the last look
  uint8_t first_unit;    // of the span, within the segment
  uint8_t listed;        // on which list; nought if on none
  uint16_t largest_hole; // medium: an upper bound, in granules

  // For small spans, whose pages are filled one at a time:
  uint16_t open;              // pages worth filling, which nobody fills
  uint16_t empty;             // pages without a block, which nobody fills
  uint8_t room[kPagesInUnit]; // an upper bound of the page's longest hole, in granules, 255 at most
  uint8_t free[kPagesInUnit]; // all of the page's free granules, 255 at most
  uint8_t note
      [kPagesInUnit]; // what a layer above keeps of a page that it had cut up; nought of all others
};
static_assert(sizeof(SpanInfo) == 2 * kLineBytes);

using SpanList = List<SpanInfo, &SpanInfo::link>;

// A segment's cells that wait for the one object that is to lie there: a bit at each one's first granule. So dense that
// those of many pages stay in the caches.
class WaitingCells {
public:
  bool holds(Address cell) const { return (word(cell) >> bit(cell) & 1) != 0; }
  void remove(Address cell) { word(cell) &= ~(uint64_t{1} << bit(cell)); }

  // `count` cells of `size` granules, 16 at most, in one page.
  void add(Address first, uint32_t size, uint32_t count) {
    const Address end = first + size * count * Granules::kBytes;
    for (Address at = first; at < end;) {
      const uint32_t left = static_cast<uint32_t>((end - at) / Granules::kBytes);
      uint64_t bits = kEvery[size] & (left < 64 ? (uint64_t{1} << left) - 1 : ~uint64_t{0});
      word(at) |= bits << bit(at);
      at += ((63 - bit(at)) / size * size + size) * Granules::kBytes;
    }
  }

  // Takes all of a page, and calls `visit(cell)` for each, whereupon the segment may be gone.
  template <class Visit>
  void take_page(Address page, Visit visit) {
    std::array<uint64_t, kGranulesInPage / 64> taken;
    std::copy_n(&word(page), taken.size(), taken.begin());
    std::fill_n(&word(page), taken.size(), 0);
    for (size_t i = 0; i < taken.size(); ++i)
      for (uint64_t left = taken[i]; left != 0; left &= left - 1)
        visit(page + (i * 64 + static_cast<uint32_t>(std::countr_zero(left))) * Granules::kBytes);
  }

private:
  static unsigned bit(Address cell) { return (cell / Granules::kBytes) % 64; }
  static size_t index(Address cell) { return cell / (64 * Granules::kBytes) % kWords; }
  uint64_t &word(Address cell) { return words_[index(cell)]; }
  uint64_t word(Address cell) const { return words_[index(cell)]; }

  // Bits at the multiples of so many.
  static constexpr auto kEvery = [] {
    std::array<uint64_t, 17> every{};
    for (uint32_t size = 1; size < every.size(); ++size)
      for (uint32_t bit = 0; bit < 64; bit += size) every[size] |= uint64_t{1} << bit;
    return every;
  }();

  static constexpr size_t kWords = kSegmentBytes / Granules::kBytes / 64;
  uint64_t words_[kWords];
};

struct Segment {
  static constexpr unsigned kLinePages = kPagesInSegment * kLineBytes / kPageBytes; // 16
  static constexpr unsigned kWaitingPages = sizeof(WaitingCells) / kPageBytes;      // 8
  static constexpr unsigned kHeaderPages = kLinePages + 4 + kWaitingPages;
  static constexpr unsigned kUsablePages = kPagesInSegment - kHeaderPages;

  SmallMap lines[kPagesInSegment];
  std::atomic<uint32_t> tags[kUnitsInSegment]; // owner's number and tier; nought for pages
  SpanInfo spans[kUnitsInSegment];

  // The page runs' own, under their lock.
  RunMap runs;
  uint64_t dirty[kPagesInSegment / 64]; // free pages that are to go back to the kernel
  uint64_t
      refused[kPagesInSegment / 64]; // free pages that the kernel did not take: they are not zero
  Link<Segment> by_hole;             // among the segments with about as large a hole
  Link<Segment> by_age;              // among those with dirty pages, by when a page was last freed
  uint32_t largest_hole;             // in pages
  uint32_t dirty_pages;
  uint64_t freed_at; // milliseconds, when a page was last freed
  bool huge_pages;

  // Of pages that were cut up for a layer above: the granules of a cell, and which cells wait.
  uint8_t cell_size[kPagesInSegment];
  WaitingCells waiting;

  static Segment *of(const void *memory) { return of(reinterpret_cast<Address>(memory)); }
  static Segment *of(Address address) {
    return reinterpret_cast<Segment *>(round_down(address, kSegmentBytes));
  }

  Address page_address(unsigned page) const {
    return reinterpret_cast<Address>(this) + page * kPageBytes;
  }
  uint32_t tag_at(Address address) const {
    return tags[unit_in_segment(address)].load(std::memory_order_relaxed);
  }
  SpanInfo &span_at(Address address) { return spans[spans[unit_in_segment(address)].first_unit]; }
  SmallMap &line_at(Address address) { return lines[page_in_segment(address)]; }

  template <class Description>
  Description &line_as(unsigned page) {
    return reinterpret_cast<Description &>(lines[page]);
  }
};
static_assert(sizeof(Segment) <= Segment::kHeaderPages * kPageBytes);
static_assert(offsetof(Segment, tags) == Segment::kLinePages * kPageBytes);

constexpr Tier tier_of(uint32_t tag) { return static_cast<Tier>(tag & 3); }

// The span's first page within its segment.
inline unsigned first_page(const SpanInfo &span) { return span.first_unit * kPagesInUnit; }

inline MediumMap &medium_map(Segment *segment, const SpanInfo &span) {
  return segment->line_as<MediumMap>(first_page(span));
}

} // namespace abut::heap
