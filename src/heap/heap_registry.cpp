#include "heap/heap_registry.hpp"

#include "heap/huge_cache.hpp"

#include <mutex>
#include <new>

namespace abut::heap {

constinit HeapRegistry heap_registry;

LocalHeap *HeapRegistry::create() {
  void *memory = os::map(nullptr, round_up(sizeof(LocalHeap), kPageBytes));
  if (memory == nullptr) return nullptr;
  if (mark_ == 0) mark_ = os::random_number() | 1; // odd: no pointer looks like it
  auto *heap = new (memory) LocalHeap;
  heap->open(++created_, mark_);
  heap->next = first_.load(std::memory_order_relaxed);
  first_.store(heap, std::memory_order_release);
  return heap;
}

LocalHeap *HeapRegistry::acquire() {
  std::lock_guard guard(lock_);
  LocalHeap *heap = orphans_;
  if (heap == nullptr) return create();
  orphans_ = heap->next_orphan;
  heap->orphan.store(false, std::memory_order_relaxed);
  return heap;
}

void HeapRegistry::release(LocalHeap *heap) {
  heap->orphan.store(true,
                     std::memory_order_relaxed); // from now on who sends a block sorts it as well
  heap->close();
  heap->help(); // with what came in the midst of that
  std::lock_guard guard(lock_);
  heap->next_orphan = orphans_;
  orphans_ = heap;
}

void HeapRegistry::decay_orphans(uint64_t now) {
  if (!lock_.try_lock()) return;
  for (LocalHeap *heap = orphans_; heap; heap = heap->next_orphan) heap->decay_if_idle(now);
  lock_.unlock();
}

void HeapRegistry::lock_all() {
  for (unsigned i = above_count_; i-- > 0;) above_[i]->lock();
  lock_.lock();
  each([](LocalHeap &heap) { heap.lock().lock(); });
  page_runs.lock().lock();
  huge_cache.lock().lock();
  segment_map.lock().lock();
  os::holds_every_lock = true;
}

void HeapRegistry::unlock_all() {
  os::holds_every_lock = false;
  segment_map.lock().unlock();
  huge_cache.lock().unlock();
  page_runs.lock().unlock();
  each([](LocalHeap &heap) { heap.lock().unlock(); });
  lock_.unlock();
  for (unsigned i = 0; i < above_count_; ++i) above_[i]->unlock();
}

// Orphans are orphaned anew: the fork may have come while a thread that ended was about to become one.
void HeapRegistry::orphan_all_but(LocalHeap *survivor) {
  orphans_ = nullptr;
  each([&](LocalHeap &heap) {
    heap.inbox().close_gaps();
    if (&heap == survivor) return;
    heap.small.mend_after_fork();
    release(&heap);
  });
}

} // namespace abut::heap
