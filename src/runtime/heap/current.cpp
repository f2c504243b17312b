#include "heap/current.hpp"

#include "heap/heap.hpp"

namespace abut::heap {

constinit LocalHeap no_heap_yet;
constinit LocalHeap no_heap_any_more;
thread_local constinit LocalHeap *current = &no_heap_yet;

namespace {

// Registered at the very first request, so that other handlers come before ours and find the heap unlocked.
std::atomic<bool> fork_handled{false};

void end_thread(void *argument) {
  auto *heap = static_cast<LocalHeap *>(argument);
  if (current != heap) return; // the child of a fork made in another thread's last moments
  current = &no_heap_any_more;
  heap_registry.release(heap);
}

} // namespace

CurrentHeap::CurrentHeap() : heap_(current) {
  if (has_heap()) [[likely]]
    return;
  const bool ended = heap_ == &no_heap_any_more;
  heap_ = heap_registry.acquire();
  if (heap_ == nullptr) return;
  if (ended) {
    borrowed_ = true;
    return;
  }
  current = heap_; // first, because the next calls may allocate
  if (heap_->number() == 1 && !fork_handled.exchange(true))
    os::call_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
  os::call_at_thread_exit(end_thread, heap_);
}

} // namespace abut::heap
