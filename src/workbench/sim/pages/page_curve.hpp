// How many misses a reduced trace of pages has in LRU memories of every size, and how many of them reading ahead from
// swap would have covered (Vam, section 4.6).
#pragma once

#include "sim/pages/page_reduction.hpp"
#include "sim/pages/swap_prefetch.hpp"
#include "sim/reference.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::sim {

// Of one memory's misses: those that reading ahead covers, and the others; by side.
struct ReadAheadCounts {
  std::array<uint64_t, kSides> prefetchable{};
  std::array<uint64_t, kSides> others{};
};

struct PageCurve {
  // By side: how many references need a memory of exactly so many frames, or a larger one. Element 0 counts first
  // touches, which are no misses: nothing is read from disk.
  std::array<std::vector<uint64_t>, kSides> frames;
  std::vector<ReadAheadCounts> prefetch; // for each of the memories that were asked for
};

// `pages` has the addresses, in pages, of the steps' numbers; `memories` are sizes in frames.
PageCurve page_curve(std::span<const PageStep> steps, std::span<const uint64_t> pages,
                     std::span<const uint32_t> memories, SwapReadAhead ahead = {});

} // namespace abut::sim
