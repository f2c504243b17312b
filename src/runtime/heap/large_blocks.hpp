// Large blocks, 32 KiB to 2 MiB: each a row of pages that no heap owns, from the store that all threads share. The first
// page's description says where the block begins, and how long it is.
//
// Blocks begin at different places of their rows, so that programs which walk several of them side by side do not meet in
// a few sets of every cache.
#pragma once

#include "heap/free_rows.hpp"

namespace abut::heap {

struct LargeBlock {
  const Page *page = nullptr; // the first

  explicit operator bool() const { return page != nullptr; }
  Address begin() const { return load_plainly(page->begin); }
  size_t bytes() const { return load_plainly(page->touched); } // as requested
  // To the end of the last 4 KiB: what lies behind counts as never written to.
  size_t usable_bytes() const { return round_up(begin() + bytes(), kPageBytes) - begin(); }
};

// `bytes` (of up to kLargeMax) at a multiple of `align` (a power of two, up to kLargeMax / 2). `clean` tells
// whether the block reads as zero. Null where memory is exhausted. `rows` are the thread's own, under their lock; or null.
void *allocate_large(size_t bytes, size_t align, bool &clean, FreeRows *rows = nullptr);

// The large block whose first page this is; none if it is not.
inline LargeBlock large_block_of(const Page &page) {
  const bool begins = load_plainly(page.owner) == nullptr && load_plainly(page.touched) != 0;
  return {begins ? &page : nullptr};
}

// The large block that begins at `address`, in a segment of size pages; none if there is no such block.
LargeBlock large_block_at(Address address);

void free_large(LargeBlock block);
// The same where the thread's own rows may keep its pages; `now` in milliseconds.
void free_large(LargeBlock block, FreeRows &rows, uint64_t now);

// Makes the block hold `bytes` where it lies; false if its neighbour is in the way.
bool resize_large(LargeBlock block, size_t bytes);

} // namespace abut::heap
