// Which heap the running thread has.
#pragma once

#include "heap/heap_registry.hpp"

namespace abut::heap {

// What a thread has before its first request, and after its end: heaps without a block or a page, so
// that every fast path fails on them and no fast path asks whether there is a heap.
extern constinit LocalHeap no_heap_yet;
extern constinit LocalHeap no_heap_any_more;

// Initial-exec: one load, no call. The eight bytes fit in what the loader sets aside for late libraries.
extern thread_local constinit LocalHeap *current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

inline bool has_heap() { return current != &no_heap_yet && current != &no_heap_any_more; }

// The heap to use in a slow path: the thread's own, made at its first request; or, when the thread has ended
// but for its last destructors, one borrowed for a single call.
class CurrentHeap {
public:
  CurrentHeap();
  ~CurrentHeap() {
    if (borrowed_) heap_registry.release(heap_);
  }
  CurrentHeap(const CurrentHeap &) = delete;
  CurrentHeap &operator=(const CurrentHeap &) = delete;

  explicit operator bool() const { return heap_ != nullptr; }
  LocalHeap *operator->() const { return heap_; }

private:
  LocalHeap *heap_;
  bool borrowed_ = false;
};

} // namespace abut::heap
