// What the entry points share: requests with the error conventions of C, releases of anything at all.
#pragma once

#include "heap/heap.hpp"

#include <cerrno>

namespace abut::entry {

// Handles a pointer that is not from this heap, or ends the process; see foreign.cpp.
void release_foreign(const char *call, void *memory);
void *resize_foreign(const char *call, void *memory, size_t bytes);
size_t foreign_usable_size(const char *call, void *memory);

inline void *or_no_memory(void *memory) {
  if (memory == nullptr) [[unlikely]] errno = ENOMEM;
  return memory;
}

__attribute__((noinline)) inline void release_slow(const char *call, void *memory) {
  if (memory != nullptr && heap::release_slow(call, memory) == heap::Release::foreign)
    release_foreign(call, memory);
}

inline void release(const char *call, void *memory) {
  if (!heap::release(memory)) [[unlikely]] release_slow(call, memory);
}

} // namespace abut::entry
