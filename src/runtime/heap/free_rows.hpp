// Rows of pages that a thread freed a moment ago, for its own next large blocks: by far most come and go in the same few lengths.
// One of these takes neither the store's lock nor a count that threads share.
//
// Only rows of a length that was asked for after one was freed: a table that grows frees each of its lengths once, and what is kept
// here does not serve small blocks.
//
// All threads' rows together are no more than what may stay resident in any case, and each thread's at most kMost. They go back
// to the store like a heap's free pages: at once where others take their place, and after `decay_ms`.
#pragma once

#include "heap/page.hpp"

namespace abut::heap {

// Under the lock of the heap that has them.
class FreeRows {
public:
  // The first of exactly so many pages in a row, the one that was freed last; null if there is none.
  Page *take(unsigned pages);

  // Keeps a row, whose first page says how much of it was written to, or gives it back to the store; and others, where there
  // would be too many. `now` in milliseconds.
  void keep(Page *first, unsigned pages, uint64_t now);

  // Gives back those of before `before`, in milliseconds.
  void give_back(uint64_t before);

  // Bytes of them that were written to.
  size_t resident() const;

private:
  static constexpr unsigned kRows = 8;
  static constexpr unsigned kMost = 16; // pages

  bool keeps(unsigned pages, uint64_t now);
  void remove(unsigned at);
  void give_back_first();

  Page *rows_[kRows] = {}; // the one that was freed first before the others
  unsigned pages_[kRows] = {};
  unsigned count_ = 0;
  unsigned total_ = 0; // of `pages_`
  unsigned limit_ = 0; // of `total_`
  // Lengths, a bit each.
  uint32_t freed_ = 0;
  uint32_t asked_for_ = 0; // after one was freed
  uint64_t freed_at_ = 0;  // milliseconds, when a row was last freed
};

} // namespace abut::heap
