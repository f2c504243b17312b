#include "heap/current.hpp"

namespace abut::heap {

constinit LocalHeap no_heap_yet;
constinit LocalHeap no_heap_any_more;
thread_local constinit LocalHeap *current = &no_heap_yet;

namespace {

void end_thread(void *argument) {
  auto *heap = static_cast<LocalHeap *>(argument);
  if (current != heap) return; // the child of a fork made in another thread's last moments
  current = &no_heap_any_more;
  heap_registry.release(heap);
}

} // namespace

CurrentHeap::CurrentHeap() : heap_(current) {
  if (heap_ != &no_heap_yet && heap_ != &no_heap_any_more) [[likely]] return;
  const bool ended = heap_ == &no_heap_any_more;
  heap_ = heap_registry.acquire();
  if (heap_ == nullptr) return;
  if (ended) {
    borrowed_ = true;
    return;
  }
  current = heap_; // first, because the next call may allocate
  os::call_at_thread_exit(end_thread, heap_);
}

} // namespace abut::heap
