// Large blocks: whole pages from the runs that all threads share.
//
// Equal blocks in a row begin at different lines of their first page, so that programs which walk several of
// them side by side do not meet in one set of every cache.
#pragma once

#include "heap/page_runs.hpp"

namespace abut::heap {

struct LargeBlock {
  RunSegment *segment = nullptr;
  Range pages;
  Address address = 0;

  explicit operator bool() const { return segment != nullptr; }
  size_t usable_bytes() const { return segment->page_address(pages.end()) - address; }
};

// `bytes` (of up to kLargeMax) at a multiple of `align` (a power of two, up to kLargeMax / 2). `clean` tells
// whether the block reads as zero. Null where memory is exhausted.
void *allocate_large(size_t bytes, size_t align, bool &clean);

// The large block that begins at `address`, in a unit of tier `pages`; none if there is no such block.
LargeBlock large_block_at(Address address);

void free_large(const LargeBlock &block);

// Makes the block hold `bytes` where it lies; false if its neighbour is in the way.
bool resize_large(const LargeBlock &block, size_t bytes);

} // namespace abut::heap
