// What the entry points share: requests with the error conventions of C, releases of anything at all.
#pragma once

#include "heap/heap.hpp"
#include "placement/friends/placement.hpp"
#include "placement/pools/grouping.hpp"

#include <cerrno>

namespace abut::entry {

// Handles a pointer that is not from this heap, or ends the process; see foreign.cpp.
void release_foreign(const char *call, void *memory);
void *resize_foreign(const char *call, void *memory, size_t bytes);
size_t foreign_usable_size(const char *call, void *memory);
inline constexpr const char *kForeign =
    "not a block of this heap: freed before, never allocated, or by another allocator";

// Whether the C library's malloc can have made this block.
bool is_of_c_library(const void *memory);

inline void *or_no_memory(void *memory) {
  if (memory == nullptr) [[unlikely]]
    errno = ENOMEM;
  return memory;
}

// Out of line, so that what comes before needs no stack: malloc itself, and a block at a cursor.
[[gnu::noinline]] inline void *allocate_from_pages(size_t bytes) {
  return or_no_memory(heap::allocate_slow(bytes));
}

[[gnu::noinline]] inline void *allocate_behind_cursor(size_t bytes) {
  if (void *memory = heap::allocate_next(bytes)) return memory;
  return allocate_from_pages(bytes);
}

[[gnu::noinline]] inline void *allocate_slow(size_t bytes) {
  if (void *memory = heap::allocate_if_medium(bytes)) return memory;
  return allocate_behind_cursor(bytes);
}

[[gnu::noinline]] inline void release_unusual(void *memory, const char *call) {
  if (memory == nullptr || heap::release_after_count(memory)) return;
  if (heap::release_slow(call, memory) == heap::Release::foreign) release_foreign(call, memory);
}

[[gnu::always_inline]] inline void release(const char *call, void *memory) {
  if (!heap::release(memory)) [[unlikely]]
    release_unusual(memory, call);
}

} // namespace abut::entry

// As the calls of their names, with the caller's registers at hand. To be called as the last thing that a body does,
// so that the registers still are the caller's.
extern "C" void *abut_capture_malloc(size_t bytes, abut::Address context);
extern "C" void *abut_capture_calloc(size_t bytes, abut::Address context);
extern "C" void *abut_capture_new(size_t bytes, abut::Address context);

// The same for groups: hands on the caller's frame.
extern "C" void *abut_frame_malloc(size_t bytes);
extern "C" void *abut_frame_calloc(size_t bytes);
extern "C" void *abut_frame_new(size_t bytes);

// The same for a plan that is followed: hands on the caller's frame. What a plan has no place for goes on below it.
extern "C" void *abut_plan_malloc(size_t bytes);
extern "C" void *abut_plan_calloc(size_t bytes);
extern "C" void *abut_plan_new(size_t bytes);
extern "C" void *abut_plan_near(size_t bytes, const void *other);
// The same where the fast path of a plan is enough; else they go on to those.
extern "C" void *abut_planned_fast_malloc(size_t bytes, abut::Address site);
extern "C" void *abut_planned_fast_new(size_t bytes, abut::Address site);
extern "C" void *abut_unplanned_malloc(size_t bytes, abut::Address site);
extern "C" void *abut_unplanned_calloc(size_t bytes, abut::Address site);
extern "C" void *abut_unplanned_new(size_t bytes, abut::Address site);
