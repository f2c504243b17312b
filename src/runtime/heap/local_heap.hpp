// The heap of one thread: its small and medium blocks, and the inbox for what others free.
//
// The owner alone allocates. It takes the lock only where a bin or a hole gives out, so others may take it to
// sort a full inbox into the maps: nothing is stranded in the heap of a thread that sleeps or is gone.
//
// A layer above may open side heaps for a thread, which keep some of its small blocks apart from the others. They come
// and go with the heap that keeps them, and share its lock.
#pragma once

#include "heap/inbox.hpp"
#include "heap/medium_heap.hpp"
#include "heap/size_heap.hpp"
#include "heap/size_page_store.hpp"
#include "heap/small_heap.hpp"

#include <utility>

namespace abut::heap {

class LocalHeap {
public:
  // `number` tells heaps apart in tags; `mark` is the process's secret mark of free blocks.
  // One in birth order has no size pages.
  void open(uint32_t number, uintptr_t mark, bool in_birth_order = false);

  // ---- for the owner; null where memory is exhausted ----

  void *allocate_small(unsigned size); // when none is at hand
  void *allocate_small_in_birth_order(unsigned size);
  void *allocate_small_aligned(unsigned size, size_t align);
  void *allocate_small_by_size(unsigned size); // in a size page in any case
  void *allocate_medium(size_t bytes, size_t align);

  void free_medium(Block *block, unsigned size) {
    const unsigned size_class = kMediumClasses.of(size);
    if (!kMediumClasses.is_exact(size)) [[unlikely]]
      return give_back_medium(block);
    if (!medium.push(block, size_class)) [[unlikely]]
      return spill_medium(size_class);
    count_free();
  }
  void spill_small(unsigned size);

  // Takes back a block that SizeHeap::release() refused.
  void free_last(SizePage *page, Block *block);

  // Looks at the clock once in so many frees, whatever becomes of their blocks.
  void count_free() {
    if (small.count_free()) [[unlikely]]
      look_after_frees();
  }

  // Makes a medium block longer or shorter where it lies.
  bool resize_medium(Address block, unsigned size);

  // ---- for other threads ----

  // Takes a block of this heap that thread `sender` frees.
  void receive(Block *block, unsigned sender);

  // Sorts what came in, unless the lock is taken.
  void help();

  // Gives back all that is kept for reuse. Only for the owner, or with the owner gone.
  void close();

  // Gives free pages back that have waited for their time; skipped when the owner is busy.
  void decay_if_idle(uint64_t now);

  // Gives all free pages back at once; for any thread.
  void trim();

  // Ends the process, with the name of the call, if a block of this heap waits in one of its bins. Only for the owner,
  // or with the owner gone.
  void check_live(const char *call, const Block *block) const;

  // Bytes of the spans and pages of small blocks.
  size_t span_bytes() const { return small.span_bytes() + sizes.bytes(); }

  uint32_t number() const { return number_; }
  os::SpinLock &lock() { return keeper->lock_; }
  Inbox &inbox() { return inbox_; }

  SizeHeap sizes; // first: malloc finds a size's page at the heap's own address
  SmallHeap small;
  MediumHeap medium;

  // A layer above may have blocks set aside in this heap. `reclaim` gives those back that it should not keep, or all;
  // it is called by the owner, or with the owner gone, under the lock.
  void *attachment = nullptr;
  void (*reclaim)(void *attachment, bool all) = nullptr;
  size_t set_aside = 0; // bytes: taken in the maps, but no program's

  // The heap of the same thread, which is this one unless this is a side heap; and the side heaps, the newest first.
  LocalHeap *keeper = this;
  LocalHeap *first_side = nullptr;
  LocalHeap *next_side = nullptr;
  uint32_t side_number = 0;   // for the layer above
  void *side_table = nullptr; // of the layer above, by which it finds a keeper's side heaps
  bool is_side() const { return keeper != this; }

  // Calls `visit(LocalHeap &)` for each side heap.
  template <class Visit>
  void each_side(Visit visit) {
    for (LocalHeap *side = first_side; side; side = side->next_side) visit(*side);
  }

  // Whether memory that another thread may have had has come since the owner last asked: blocks of the heap, or pages,
  // which any heap may have taken. What the owner has not used of it by now lies behind the lock.
  bool has_taken_over() {
    const uint32_t taken =
        takeovers_.load(std::memory_order_relaxed) + page_runs.taken() + size_page_store.taken();
    return std::exchange(takeovers_seen_, taken) != taken;
  }
  // For a layer above that records: no block that is there was recorded at a later time than this. Nought where that is not
  // known, as where a thread has just taken the heap over.
  std::atomic<uint64_t> recorded_until{0};

  LocalHeap *next = nullptr;        // in the registry
  LocalHeap *next_orphan = nullptr; // among those without a thread
  std::atomic<bool> orphan{false};

private:
  void spill_medium(unsigned size_class);
  void give_back_medium(Block *block);
  void note_search();
  void before_search();
  void look_at_the_clock();
  void look_after_frees();
  bool sort_inbox();
  void sort_inbox_for_owner();
  void give_back(Block *block);
  bool looks_free(const Block *block) const;
  bool holds(const Block *block) const;
  void keep_or_give_back(Block *block);
  void note_takeover() {
    takeovers_.store(takeovers_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  bool owner_is_busy();
  bool decay_if_due(uint64_t now);
  void decay(uint64_t now);
  void look(unsigned most_spans);

  uint32_t number_ = 0;
  // From here on what the owner writes all the time: others look at what stands before when they free its blocks.
  alignas(kLineBytes) std::atomic<uint32_t> searches_{0}; // for room
  std::atomic<uint32_t> searches_seen_{0};                // by those who fill the inbox
  std::atomic<uint32_t> takeovers_{0};
  uint32_t takeovers_seen_ = 0;
  uint32_t looks_ = 0;
  uint64_t decayed_at_ = 0;
  Inbox inbox_;
  os::SpinLock lock_;
};

// The tag of the spans of heap `number` that serve `tier`.
constexpr uint32_t tag_for(uint32_t number, Tier tier) {
  return number << 2 | static_cast<uint32_t>(tier);
}

} // namespace abut::heap
