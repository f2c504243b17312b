// What the heap holds, counted when asked for: no request pays for it.
#pragma once

#include "heap/geometry.hpp"

namespace abut::heap {

// Blocks and bytes (as granted, not as requested) of one size.
struct ClassCount {
  size_t bytes_each = 0;
  size_t blocks = 0;
};

struct Statistics {
  static constexpr size_t kClasses = kSmallClasses; // below 1 KiB; the first is that of tiny blocks

  ClassCount classes[kClasses];
  size_t medium_blocks = 0, medium_bytes = 0; // of 1 KiB to 32 KiB
  size_t large_blocks = 0, large_bytes = 0;
  size_t huge_blocks = 0, huge_bytes = 0;
  size_t small_pages = 0, medium_pages = 0; // of pages_in_use
  size_t pages_in_use = 0;  // pages on which some block lies, or that are kept for one
  size_t free_resident = 0; // bytes of free pages that have not gone back yet
  size_t mapped = 0;        // bytes of address space
  size_t peak = 0; // most bytes that pages of blocks, large and huge blocks ever took at one time
  size_t metadata = 0; // bytes of it that describe the rest
  size_t heaps = 0, orphans = 0;
  size_t segments = 0;

  size_t live_bytes() const;

  // Feng and Berger's measure (2005, section 4.4): pages in use over pages of live data. Live data are counted
  // as granted, up to 15 bytes a small block more than was asked for.
  double fragmentation() const;
};

// Locks each heap in turn; the running thread's own numbers are exact, those of busy threads nearly so.
Statistics count();

} // namespace abut::heap
