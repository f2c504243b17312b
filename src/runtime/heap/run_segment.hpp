// A segment of page runs: 4 MiB of pages of 4 KiB, with what describes them at its start.
#pragma once

#include "base/block_map.hpp"
#include "base/list.hpp"
#include "heap/geometry.hpp"
#include "heap/segment_map.hpp"

namespace abut::heap {

using RunMap = BlockMap<kPagesInSegment>;

// A large block's measures, at its first page's place. Whoever holds the block writes them, and those who
// count blocks may read them meanwhile: hence relaxed atomic words.
class LargeInfo {
public:
  // Bytes from the start of the page to the block.
  uint64_t offset() const { return offset_.load(std::memory_order_relaxed); }

  // Requested; zero where no block begins.
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

struct RunSegment {
  RunMap runs; // what follows is the page runs' own, under their lock
  // Free pages, a bit each: those that are to go back to the kernel; those that went, and those that it did not take, which
  // are not zero.
  uint64_t dirty[kPagesInSegment / 64];
  uint64_t returned[kPagesInSegment / 64];
  uint64_t refused[kPagesInSegment / 64];
  Link<RunSegment> by_hole; // among the segments with about as large a hole
  Link<RunSegment> by_age;  // among those with dirty pages, by when a page was last freed
  uint32_t largest_hole;    // in pages
  uint32_t dirty_pages;
  uint64_t freed_at; // milliseconds, when a page was last freed

  LargeInfo large[kPagesInSegment];

  static RunSegment *of(Address address) {
    return reinterpret_cast<RunSegment *>(round_down(address, kSegmentBytes));
  }
  Address page_address(unsigned page) const {
    return reinterpret_cast<Address>(this) + page * kPageBytes;
  }
  static const unsigned kHeaderPages;
  static const unsigned kUsablePages;
};
inline constexpr unsigned RunSegment::kHeaderPages = Pages::holding(sizeof(RunSegment)).n;
inline constexpr unsigned RunSegment::kUsablePages = kPagesInSegment - kHeaderPages;

} // namespace abut::heap
