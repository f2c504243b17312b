// The heap of one thread: blocks of up to 32 KiB, in size order, and small ones in birth order, too.
//
// The owner alone allocates. It takes the lock only to change pages, so that others may look at the pages that it does not
// allocate from: who frees a page's last block gives the page back, even if the owner sleeps or is gone.
//
// A layer above may open side heaps for a thread, which keep some of its small blocks apart from the others. They come
// and go with the heap that keeps them, and share its lock.
#pragma once

#include "base/policies.hpp"
#include "heap/birth_heap.hpp"
#include "heap/free_rows.hpp"
#include "heap/size_heap.hpp"

namespace abut::heap {

class LocalHeap {
public:
  // `number` tells heaps apart. One in birth order has size pages only for what is too large for that.
  void open(uint32_t number, bool in_birth_order);

  // Only for the owner. What was allocated in the other order stays where it is.
  void set_order(bool in_birth_order);

  // ---- for the owner; null where memory is exhausted ----

  // A block of 1 to kMediumMax bytes, when none is at hand.
  void *allocate(size_t bytes);
  void *allocate_in_birth_order(size_t bytes);
  void *allocate_by_size(unsigned size_class); // in a size page in any case

  // ---- for any thread ----

  // After free_block() refused.
  template <class Block>
  void free_last(Block block);

  // Gives back what has waited for its time, here and elsewhere, if that is due; `now` in milliseconds. Under the lock.
  void decay(uint64_t now) {
    now_ = now;
    if (now >= decay_at_) decay_due(now);
  }

  // The time of the last look at the clock.
  uint64_t now() const { return now_; }

  // Gives back all that is kept for reuse. Only for the owner, or with the owner gone.
  void close();

  // Gives free pages back that have waited for their time; skipped when the owner is busy.
  void decay_if_idle(uint64_t now);

  // Gives all free pages back at once.
  void trim();

  // Bytes of the pages that the heap holds, but for each size class's first.
  size_t held_bytes() const { return births.bytes() + sizes.bytes(); }

  uint32_t number() const { return number_; }
  bool is_in_birth_order() const { return in_birth_order_; }
  os::BusyLock &lock() { return keeper->lock_; }

  SizeHeap sizes; // first: malloc finds a size's cursor at the heap's own address
  BirthHeap births;
  FreeRows rows; // under the lock

  // The heap of the same thread, which is this one unless this is a side heap; and the side heaps, the newest first.
  LocalHeap *keeper = this;
  LocalHeap *first_side = nullptr;
  LocalHeap *next_side = nullptr;
  uint32_t side_number = 0; // what it was opened for
  bool is_side() const { return keeper != this; }

  // Calls `visit(LocalHeap &)` for each side heap.
  template <class Visit>
  void each_side(Visit visit) {
    for (LocalHeap *side = first_side; side; side = side->next_side) visit(*side);
  }

  // Whether memory that another thread may have freed has come since the owner last asked: parts of a page, or pages,
  // which any heap may have had.
  bool has_taken_over();

  // Of which call sites malloc serves requests from here at once, though a policy is enabled.
  SiteLimits site_limits;

  // For the layers above, which alone look at it; zero at first.
  static constexpr size_t kBytesAbove = 32;
  alignas(8) std::byte above[kBytesAbove] = {};

  LocalHeap *next = nullptr;        // in the registry
  LocalHeap *next_orphan = nullptr; // among those without a thread
  std::atomic<bool> orphan{false};

private:
  static constexpr uint8_t kAlways = 255;
  static constexpr unsigned kBirthClasses = size_class(kBirthMax) + 1; // the first is the tiny one

  bool prefers_birth(size_t bytes, unsigned size_class);
  void begin();
  void begin_refill();
  void look_at_the_clock();
  void decay_own(uint64_t now);
  void look_again_soon(uint64_t now);
  void decay_all(uint64_t now);
  void decay_reserved();
  void decay_due(uint64_t now);
  void look_again_at(uint64_t time) { decay_at_ = look_at_ = time; }
  void free_in_heap(LiveBlock block) { sizes.free_last(block); }
  void free_in_heap(const BirthBlock &block) { births.free_last(block); }

  uint8_t births_left_[kBirthClasses] = {};
  bool in_birth_order_ = false;
  uint32_t number_ = 0;
  uint32_t takeovers_seen_ = 0;
  uint64_t now_ = 0; // milliseconds, as the next three
  uint64_t looked_at_ = 0;
  uint64_t look_at_ = 0;  // not before
  uint64_t decay_at_ = 0; // the same, or zero: reserved cells wait for the owner
  os::BusyLock lock_;
};

template <class Block>
void LocalHeap::free_last(Block block) {
  std::lock_guard guard(lock());
  free_in_heap(block);
  look_at_the_clock();
}

} // namespace abut::heap
