// Mappings of huge blocks that were freed a moment ago, kept for the next ones of about their size.
//
// What is longer than `retain_mb` only where its length was asked for after one was freed: an array that grows by doubling frees
// each of its lengths once, and what it left would be resident beside it for nothing.
#pragma once

#include "heap/huge_blocks.hpp"
#include "heap/retention.hpp"

namespace abut::heap {

class HugeCache {
public:
  // A kept mapping that holds `bytes`, and less than twice as many; null if there is none.
  HugeInfo *take(size_t bytes);

  // The longest kept mapping of those that hold less, but half of it; null if there is none.
  HugeInfo *take_shorter(size_t bytes);

  // Keeps the mapping of a block that is free, and gives others back if too much is kept; false if it is
  // itself too much, or not expected to serve, and is still the caller's.
  bool keep(HugeInfo *block);

  // Gives back what has been kept since before `before`, in milliseconds.
  void give_back(uint64_t before);

  // Gives back the one that has been kept for longest, if it is such a one; its pages, or zero.
  size_t give_back_oldest(uint64_t before);

  os::SpinLock &lock() { return lock_; }

private:
  struct Entry {
    HugeInfo *block = nullptr;
    uint64_t freed_at = 0;
  };
  static constexpr unsigned kEntries = 64;

  // Of all lengths with the same highest bit: the one that was freed last, and whether one was asked for that it serves.
  struct Length {
    size_t freed = 0;
    bool asked_for = false;
  };

  void ask_for(size_t bytes);
  bool is_expected(size_t usable, size_t pages);
  bool put(HugeInfo *block, size_t pages);
  HugeInfo *remove(Entry &entry);
  Entry *oldest();
  Entry *unused();

  os::SpinLock lock_;
  Entry entries_[kEntries];
  Length lengths_[8 * sizeof(size_t) + 1];
};

extern constinit HugeCache huge_cache;

// So many pages come from the kernel, since no free ones serve: gives others back in their place.
void make_room(size_t pages);

// Gives back free pages, and kept mappings, that have waited for their time; false where some are left. Cheap when it
// is not due.
bool decay_shared(uint64_t now);

} // namespace abut::heap
