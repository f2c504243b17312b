// All local heaps, and which thread has which. Heaps are never destroyed: one whose thread ended is an orphan,
// and the next thread takes it over with all its live blocks. So there are never more heaps than there were
// threads at one time.
#pragma once

#include "heap/local_heap.hpp"

namespace abut::heap {

class HeapRegistry {
public:
  // An orphan or a new heap; null where memory is exhausted.
  LocalHeap *acquire();

  // A side heap for the thread of `keeper`, which calls this; null where memory is exhausted.
  LocalHeap *open_side(LocalHeap *keeper, uint32_t side_number);

  // The thread of `heap` ends.
  void release(LocalHeap *heap);

  // How many there ever were at one time.
  size_t threads() const { return threads_.load(std::memory_order_relaxed); }

  // Gives back pages, in the heaps of all threads but the one whose heap it is, that have waited for their time; false where
  // it has left some, because this would take too long at once.
  bool decay_idle(const LocalHeap *busy, uint64_t now);

  // Holds every lock of the heap, in order, so that a fork finds nothing half done.
  void lock_all();
  void unlock_all();

  // A lock of a layer above, which may be held while a heap's lock is taken; lock_all() takes those first, the one that
  // was named last before the others. At start, and so few that there is room.
  void take_first(os::SpinLock &lock) { above_[above_count_++] = &lock; }

  // In the child of a fork only `survivor`'s thread goes on; the other heaps become orphans.
  void orphan_all_but(LocalHeap *survivor);

  // Sets those of all heaps, and of new ones; `limits` stay where they are. A heap that another thread makes meanwhile may get
  // those from before.
  void set_site_limits(const SiteLimits &limits);

  // Calls `visit(LocalHeap &)` for every heap there ever was.
  template <class Visit>
  void each(Visit visit) {
    for (LocalHeap *heap = first_.load(std::memory_order_acquire); heap; heap = heap->next)
      visit(*heap);
  }

private:
  LocalHeap *create(LocalHeap *keeper);

  os::SpinLock lock_;
  static constexpr unsigned kMostAbove = 8;
  os::SpinLock *above_[kMostAbove] = {};
  unsigned above_count_ = 0;
  std::atomic<LocalHeap *> first_{nullptr};
  LocalHeap *orphans_ = nullptr;
  uint32_t created_ = 0;
  std::atomic<size_t> threads_{0};
  std::atomic<const SiteLimits *> site_limits_{&kNoSiteIsPlain};
};

extern constinit HeapRegistry heap_registry;

} // namespace abut::heap
