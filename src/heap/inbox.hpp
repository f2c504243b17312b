// Where other threads put the blocks of a heap that they free: stacks that take without a lock on either side.
//
// A few stacks side by side, each on a line of its own, keep many freeing threads out of each other's way. A
// stack's head carries the number of its blocks in the bits that addresses leave unused.
#pragma once

#include "heap/bin.hpp"

#include <atomic>

namespace abut::heap {

class Inbox {
public:
  static constexpr unsigned kStacks = 4;

  // Adds a block; returns how many its stack now holds. `sender` spreads threads over the stacks.
  uint32_t put(Block *block, unsigned sender) {
    std::atomic<uint64_t> &head = stacks_[sender % kStacks].head;
    uint64_t seen = head.load(std::memory_order_relaxed);
    uint64_t next = 0;
    do {
      block->next = block_of(seen);
      next = reinterpret_cast<Address>(block) | std::min(count_of(seen) + 1, kMostCounted)
                                                    << kShift;
    } while (!head.compare_exchange_weak(seen, next, std::memory_order_seq_cst,
                                         std::memory_order_relaxed));
    if (seen == 0) any_.store(true, std::memory_order_seq_cst);
    return static_cast<uint32_t>(count_of(next));
  }

  // Cheap, and now and then late by a moment.
  bool any() const { return any_.load(std::memory_order_relaxed); }

  // Empties the stacks into `visit(Block *)`.
  template <class Visit>
  void take(Visit visit) {
    // In this order, and in one order with the additions: a block that is missed leaves `any_` set.
    any_.exchange(false, std::memory_order_seq_cst);
    for (Stack &stack : stacks_) {
      if (stack.head.load(std::memory_order_seq_cst) == 0) continue;
      Block *block = block_of(stack.head.exchange(0, std::memory_order_acquire));
      while (block) {
        Block *next = block->next;
        visit(block);
        block = next;
      }
    }
  }

private:
  static constexpr unsigned kShift = 48;
  static constexpr uint64_t kMostCounted = 0xffff;

  static Block *block_of(uint64_t head) {
    return reinterpret_cast<Block *>(head & ((uint64_t{1} << kShift) - 1));
  }
  static uint64_t count_of(uint64_t head) { return head >> kShift; }

  struct alignas(kLineBytes) Stack {
    std::atomic<uint64_t> head{0};
  };
  Stack stacks_[kStacks];
  alignas(kLineBytes) std::atomic<bool> any_{false};
};

} // namespace abut::heap
