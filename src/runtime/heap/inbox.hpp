// Where other threads put the blocks of a heap that they free, without a lock on either side.
//
// Rings of addresses, a few side by side to keep many freeing threads out of each other's way. Neither who frees
// nor who sorts waits for the block's own lines, which the other processor has: that is what chains through the
// blocks would do. What a full ring does not take does go to such a chain.
#pragma once

#include "heap/bin.hpp"

#include <atomic>

namespace abut::heap {

// What this thread wrote before is seen by whoever writes before it reads, or what that one wrote is seen by this.
inline void write_before_read() {
#if !defined(__SANITIZE_THREAD__) // which knows of no fences, and sees that all of it is atomic
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

class Inbox {
public:
  static constexpr unsigned kLanes = 4;
  static constexpr uint32_t kSlots = 1024;

  // Adds a block; returns about how many its lane now holds. `sender` spreads threads over the lanes.
  uint32_t put(Block *block, unsigned sender) {
    Lane &lane = lanes_[sender % kLanes];
    uint32_t ticket = lane.tail.load(std::memory_order_relaxed);
    do {
      const uint32_t waiting = ticket - lane.head.load(std::memory_order_acquire);
      if (waiting >= kSlots) return kSlots + put_on_chain(lane, block);
    } while (!lane.tail.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed));
    lane.slots[ticket % kSlots].store(block, std::memory_order_release);
    return ticket + 1 - lane.head.load(std::memory_order_relaxed);
  }

  // Whether there is something to take; now and then late by a moment.
  bool any() const {
    for (const Lane &lane : lanes_)
      if (lane.tail.load(std::memory_order_relaxed) != lane.head.load(std::memory_order_relaxed) ||
          lane.chain.load(std::memory_order_relaxed) != nullptr)
        return true;
    return false;
  }

  // Whether take() would find something now. What a sender is about to put is not there yet: it will look after it.
  bool ready() const {
    for (const Lane &lane : lanes_) {
      const uint32_t head = lane.head.load(std::memory_order_relaxed);
      if (lane.slots[head % kSlots].load(std::memory_order_relaxed) != nullptr ||
          lane.chain.load(std::memory_order_relaxed) != nullptr)
        return true;
    }
    return false;
  }

  // Empties the lanes into `visit(Block *)`. One thread at a time: under the heap's lock.
  template <class Visit>
  void take(Visit visit) {
    for (Lane &lane : lanes_) {
      take_from_ring(lane, visit);
      if (lane.chain.load(std::memory_order_relaxed) != nullptr) take_chain(lane, visit);
    }
  }

  // In the child of a fork, where a sender may have vanished between taking a slot and filling it: nobody may wait
  // for such a slot.
  void close_gaps() {
    for (Lane &lane : lanes_) {
      const uint32_t tail = lane.tail.load(std::memory_order_relaxed);
      uint32_t end = lane.head.load(std::memory_order_relaxed);
      for (uint32_t at = end; at != tail; ++at)
        if (Block *block = lane.slots[at % kSlots].exchange(nullptr, std::memory_order_relaxed))
          lane.slots[end++ % kSlots].store(block, std::memory_order_relaxed);
      lane.tail.store(end, std::memory_order_relaxed);
    }
  }

private:
  // What senders write, what the owner writes, and what passes from one to the other, each on lines of its own.
  struct Lane {
    alignas(kLineBytes) std::atomic<uint32_t> tail{0}; // slots ever taken, modulo 2^32
    std::atomic<uint32_t> chained{0};
    std::atomic<Block *> chain{nullptr};
    alignas(kLineBytes) std::atomic<uint32_t> head{0}; // slots ever emptied
    alignas(kLineBytes) std::atomic<Block *> slots[kSlots]{};
  };

  static uint32_t put_on_chain(Lane &lane, Block *block) {
    block->next = lane.chain.load(std::memory_order_relaxed);
    while (!lane.chain.compare_exchange_weak(block->next, block, std::memory_order_release,
                                             std::memory_order_relaxed)) {
    }
    return lane.chained.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  template <class Visit>
  static void take_from_ring(Lane &lane, Visit &visit) {
    // Not beyond what is there now: a visit may put blocks back.
    const uint32_t tail = lane.tail.load(std::memory_order_relaxed);
    for (uint32_t head = lane.head.load(std::memory_order_relaxed); head != tail; ++head) {
      std::atomic<Block *> &slot = lane.slots[head % kSlots];
      Block *block = slot.load(std::memory_order_acquire);
      if (block == nullptr) return; // its sender is about to fill it
      slot.store(nullptr, std::memory_order_relaxed);
      lane.head.store(head + 1, std::memory_order_release);
      visit(block);
    }
  }

  template <class Visit>
  static void take_chain(Lane &lane, Visit &visit) {
    lane.chained.store(0, std::memory_order_relaxed);
    Block *block = lane.chain.exchange(nullptr, std::memory_order_acquire);
    while (block) {
      Block *next = block->next;
      visit(block);
      block = next;
    }
  }

  Lane lanes_[kLanes];
};

} // namespace abut::heap
