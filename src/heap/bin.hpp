// A bin: freed blocks of one size, kept by their thread for the next request, last in first out.
//
// A bin is bounded, in blocks and so in bytes: what overflows goes back to the block maps, where it coalesces.
#pragma once

#include "heap/geometry.hpp"

#include <algorithm>
#include <atomic>

namespace abut::heap {

// What a free block holds. `mark` is the same secret number in every free block of 16 bytes or more, and is
// wiped when the block is handed out: a block that still has it when it is freed was freed before.
struct Block {
  Block *next;
  uintptr_t mark;
};

// A fork may copy a bin while its thread is in the midst of a push: the chain must be whole at every
// instruction. It costs none.
inline void written_before_linked() { std::atomic_signal_fence(std::memory_order_release); }

struct Bin {
  Block *head = nullptr;
  int16_t room = 0;  // blocks that may still be added
  int16_t limit = 0; // blocks that it may hold
  int16_t most = 0;  // what the limit may grow to

  // `bytes` is the size of its blocks, `bytes_in_all` what it may hold unless that is very few.
  void open(size_t bytes, size_t bytes_in_all = 8 * KiB) {
    most = static_cast<int16_t>(std::clamp(bytes_in_all / bytes, size_t{4}, kBlocksInBin));
    limit = std::min(most, int16_t{8});
    room = limit;
  }

  int count() const { return limit - room; }

  // For statistics, while the owner goes on: right, or off by what it did meanwhile. The owner's stores are plain
  // ones, because every request makes one; on all machines that we know of, so small a number is never torn.
  [[gnu::noinline, gnu::no_sanitize("thread")]] int count_from_outside() const {
    return limit - room;
  }

  // A bin that overflows earns more room: programs that free in bursts take in bursts.
  void grow() {
    const int more = std::min<int>(limit, most - limit);
    limit = static_cast<int16_t>(limit + more);
    room = static_cast<int16_t>(room + more);
  }

  // Keeps the `keep` blocks that came last and returns the chain of the others.
  Block *split(int keep) {
    if (count() <= keep) return nullptr;
    Block **link = &head;
    for (int i = 0; i < keep; ++i) link = &(*link)->next;
    Block *rest = *link;
    *link = nullptr;
    room = static_cast<int16_t>(limit - keep);
    return rest;
  }

  Block *take_all() {
    Block *all = head;
    head = nullptr;
    room = limit;
    return all;
  }

  bool holds(const Block *wanted) const {
    for (const Block *block = head; block; block = block->next)
      if (block == wanted) return true;
    return false;
  }

private:
  static constexpr size_t kBlocksInBin = 128;
};

static_assert(sizeof(Bin) == 16);

} // namespace abut::heap
