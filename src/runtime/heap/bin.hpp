// A bin: freed blocks of one size, kept by their thread for the next request, last in first out.
//
// A bin is bounded, in blocks and so in bytes: what overflows goes back to the block maps, where it coalesces.
#pragma once

#include "heap/geometry.hpp"
#include "os/os.hpp"

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
  int16_t room = 0;       // blocks that may still be added
  int16_t limit = 0;      // blocks that it may hold
  int16_t most = 0;       // what the limit may grow to
  uint16_t overflows = 0; // since the bin last gave out

  // `bytes` is the size of its blocks, `bytes_in_all` what it may hold unless that is very few.
  void open(size_t bytes, size_t bytes_in_all = 64 * KiB) {
    most = static_cast<int16_t>(std::clamp(bytes_in_all / bytes, size_t{4}, kBlocksInBin));
    limit = room = least();
  }

  int count() const { return limit - room; }

  // For statistics, while the owner goes on: right, or off by what it did meanwhile. The owner's stores are plain
  // ones, because every request makes one; on all machines that we know of, so small a number is never torn.
  [[gnu::noinline, gnu::no_sanitize_thread]] int count_from_outside() const { return limit - room; }

  // A bin that gives out earns more room: programs that take in bursts free in bursts.
  void grow() {
    overflows = 0;
    set_limit(std::min<int>(2 * limit, most));
  }

  // A bin that overflows time and again, while nobody takes from it, loses room: a program that frees all that it
  // has should not keep a page for each block of a large bin. Returns the chain of what goes.
  Block *overflow() {
    if (++overflows > 1) set_limit(std::max<int>(limit / 2, least()));
    return split(limit / 2);
  }

  // Whether a block more may be added, if the bin grows for it.
  bool has_room() {
    if (room <= 0) grow();
    return room > 0;
  }

  // Keeps the `keep` blocks that came last and returns the chain of the others.
  Block *split(int keep) {
    if (count() <= keep) return nullptr;
    if (keep == 0) return take_all();
    Block *last = head;
    for (int i = 1; i < keep; ++i) last = last->next;
    Block *rest = last->next;
    last->next = nullptr;
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
  int16_t least() const { return std::min(most, int16_t{8}); }

  void set_limit(int blocks) {
    room = static_cast<int16_t>(room + blocks - limit);
    limit = static_cast<int16_t>(blocks);
  }

  static constexpr size_t kBlocksInBin = 1024;
};

static_assert(sizeof(Bin) == 16);

} // namespace abut::heap
