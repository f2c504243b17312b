#include "heap/heap_registry.hpp"

#include "heap/huge_cache.hpp"
#include "heap/page_store.hpp"

#include <iterator>
#include <mutex>
#include <new>

namespace abut::heap {

constinit HeapRegistry heap_registry;

namespace {

void set_orphan(LocalHeap &heap, bool orphan) {
  heap.orphan.store(orphan, std::memory_order_relaxed);
  heap.each_side(
      [orphan](LocalHeap &side) { side.orphan.store(orphan, std::memory_order_relaxed); });
}

void copy_limits(const SiteLimits &from, SiteLimits &to) {
  for (size_t i = 0; i < std::size(from.sizes); ++i)
    std::atomic_ref(to.sizes[i]).store(load_plainly(from.sizes[i]), std::memory_order_relaxed);
}

} // namespace

void HeapRegistry::set_site_limits(const SiteLimits &limits) {
  site_limits_.store(&limits, std::memory_order_release);
  each([&](LocalHeap &heap) {
    if (!heap.is_side()) copy_limits(limits, heap.site_limits);
  });
}

// The keeper of a heap that is no side heap is null here.
LocalHeap *HeapRegistry::create(LocalHeap *keeper) {
  void *memory = os::map(round_up(sizeof(LocalHeap), kPageBytes));
  if (memory == nullptr) return nullptr;
  auto *heap = new (memory) LocalHeap;
  heap->open(++created_, keeper != nullptr || option_value(Option::order) != 0);
  if (keeper != nullptr)
    heap->keeper = keeper;
  else
    threads_.fetch_add(1, std::memory_order_relaxed);
  const SiteLimits *limits = site_limits_.load(std::memory_order_acquire);
  if (keeper == nullptr && limits != &kNoSiteIsPlain) copy_limits(*limits, heap->site_limits);
  heap->next = first_.load(std::memory_order_relaxed);
  first_.store(heap, std::memory_order_release);
  return heap;
}

LocalHeap *HeapRegistry::acquire() {
  std::lock_guard guard(lock_);
  LocalHeap *heap = orphans_;
  if (heap == nullptr) return create(nullptr);
  orphans_ = heap->next_orphan;
  set_orphan(*heap, false);
  return heap;
}

LocalHeap *HeapRegistry::open_side(LocalHeap *keeper, uint32_t side_number) {
  std::lock_guard guard(lock_);
  LocalHeap *side = create(keeper);
  if (side == nullptr) return nullptr;
  side->side_number = side_number;
  side->next_side = keeper->first_side;
  keeper->first_side = side;
  return side;
}

void HeapRegistry::release(LocalHeap *heap) {
  set_orphan(*heap, true);
  heap->close();
  std::lock_guard guard(lock_);
  heap->next_orphan = orphans_;
  orphans_ = heap;
}

// Threads that sleep give nothing back themselves.
bool HeapRegistry::decay_idle(const LocalHeap *busy, uint64_t now) {
  bool has_time = true;
  each([&](LocalHeap &heap) {
    has_time = has_time && os::coarse_milliseconds() - now < kMostAtOnce;
    if (heap.keeper != busy && has_time) heap.decay_if_idle(now);
  });
  return has_time;
}

void HeapRegistry::lock_all() {
  for (unsigned i = above_count_; i-- > 0;) above_[i]->lock();
  lock_.lock();
  os::fork_waits = true;
  each([](LocalHeap &heap) {
    if (!heap.is_side()) heap.lock().os::SpinLock::lock();
  });
  birth_pages.lock().lock();
  size_pages.lock().lock();
  huge_cache.lock().lock();
  huge_mappings.lock();
  segment_map.lock().lock();
  os::fork_waits = false;
  os::holds_every_lock = true;
}

void HeapRegistry::unlock_all() {
  os::holds_every_lock = false;
  segment_map.lock().unlock();
  huge_mappings.unlock();
  huge_cache.lock().unlock();
  size_pages.lock().unlock();
  birth_pages.lock().unlock();
  each([](LocalHeap &heap) {
    if (!heap.is_side()) heap.lock().unlock();
  });
  lock_.unlock();
  for (unsigned i = 0; i < above_count_; ++i) above_[i]->unlock();
}

// Orphans are orphaned again: the fork may have come while a thread that ended was about to become one.
void HeapRegistry::orphan_all_but(LocalHeap *survivor) {
  orphans_ = nullptr;
  each([&](LocalHeap &heap) {
    if (&heap != survivor && !heap.is_side()) release(&heap);
  });
}

} // namespace abut::heap
