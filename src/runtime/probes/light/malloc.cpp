// malloc, free and their relatives as api/malloc.cpp has them, recorded.
#include "api/calls.hpp"
#include "probes/light/stub.hpp"

#include <cstring>

using namespace abut;
using entry::or_no_memory;
using light::allocated;
using light::allocated_by_heap;
using light::Frame;

// ---- malloc and calloc ----

ABUT_FRAME("abut_light_look_malloc", "%rsi", "%rdx", "abut_light_malloc_seen");
ABUT_FRAME("abut_light_fetch_malloc", "%rsi", "%rdx", "abut_light_malloc_slow");
ABUT_FRAME("abut_light_record", "%rdx", "%rcx", "abut_light_recorded");
extern "C" void *abut_light_look_malloc(size_t bytes);
extern "C" void *abut_light_fetch_malloc(size_t bytes);

ABUT_EXPORT void *malloc(size_t bytes) {
  return light::allocate<abut_light_look_malloc, abut_light_fetch_malloc>(bytes, ABUT_SITE);
}

ABUT_BODY void *abut_light_malloc_slow(size_t bytes, const Address *sp, Address rbp) {
  return light::allocate_slow(bytes, {sp, rbp});
}

ABUT_BODY void *abut_light_recorded(size_t bytes, void *memory, const Address *sp, Address rbp) {
  return light::allocated_otherwise(memory, bytes, {sp, rbp});
}

ABUT_CAPTURE("abut_light_capture_malloc", "abut_light_placed_malloc");
ABUT_CAPTURE("abut_light_capture_calloc", "abut_light_placed_calloc");
extern "C" void *abut_light_capture_malloc(size_t bytes, Address context);
extern "C" void *abut_light_capture_calloc(size_t bytes, Address context);

ABUT_BODY void *abut_light_malloc_seen(size_t bytes, const Address *sp, Address rbp) {
  const Address context = light::context_to_place(bytes, *sp);
  return context != 0 ? abut_light_capture_malloc(bytes, context)
                      : light::allocate_here(bytes, {sp, rbp});
}

ABUT_BODY void *abut_light_placed_malloc(size_t bytes, const near::Captured *captured,
                                         Address context) {
  return or_no_memory(light::allocate_placed(bytes, captured, context));
}

ABUT_FRAME("abut_light_look_calloc", "%rsi", "%rdx", "abut_light_calloc_seen");
ABUT_FRAME("abut_light_fetch_calloc", "%rsi", "%rdx", "abut_light_calloc_slow");
extern "C" void *abut_light_look_calloc(size_t bytes);
extern "C" void *abut_light_fetch_calloc(size_t bytes);

ABUT_EXPORT void *calloc(size_t count, size_t each) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return or_no_memory(nullptr);
  if (any_policy_enabled() && !sites::table.is_plain(ABUT_SITE)) [[unlikely]]
    return abut_light_look_calloc(bytes);
  void *memory = heap::allocate_if_small(bytes);
  if (memory == nullptr) [[unlikely]]
    return abut_light_fetch_calloc(bytes);
  std::memset(memory, 0, bytes);
  return light::put_small(memory, bytes, ABUT_SITE) ? memory : abut_light_record(bytes, memory);
}

ABUT_BODY void *abut_light_calloc_slow(size_t bytes, const Address *sp, Address rbp) {
  return allocated_by_heap(or_no_memory(heap::allocate_zeroed(bytes)), bytes, {sp, rbp});
}

ABUT_BODY void *abut_light_calloc_seen(size_t bytes, const Address *sp, Address rbp) {
  if (const Address context = light::context_to_place(bytes, *sp))
    return abut_light_capture_calloc(bytes, context);
  return abut_light_calloc_slow(bytes, sp, rbp);
}

ABUT_BODY void *abut_light_placed_calloc(size_t bytes, const near::Captured *captured,
                                         Address context) {
  void *memory = abut_light_placed_malloc(bytes, captured, context);
  return memory != nullptr ? std::memset(memory, 0, bytes) : nullptr;
}

// ---- what follows from others ----

namespace {

void *resize(void *memory, size_t bytes, Frame frame) {
  light::resizing(memory);
  const heap::Resized result = heap::resize("realloc", memory, bytes);
  void *moved = result.foreign ? entry::resize_foreign("realloc", memory, bytes)
                               : or_no_memory(result.memory);
  light::resized(moved, bytes, frame);
  return moved;
}

} // namespace

namespace served {
namespace {

void *reallocate(const char *, void *memory, size_t bytes, Frame frame) {
  if (memory == nullptr) return light::allocate_here(bytes, frame);
  if (bytes != 0) return resize(memory, bytes, frame);
  light::release("realloc", memory);
  return nullptr;
}

void *aligned(size_t align, size_t bytes, Frame frame) {
  return allocated(or_no_memory(heap::allocate_aligned(align, bytes)), bytes, align, frame);
}

} // namespace
} // namespace served

#include "api/framed_calls.hpp"

// ---- free ----

ABUT_EXPORT void free(void *memory) { light::release("free", memory); }

ABUT_EXPORT void free_sized(void *memory, size_t) { light::release("free_sized", memory); }

ABUT_EXPORT void free_aligned_sized(void *memory, size_t, size_t) {
  light::release("free_aligned_sized", memory);
}

ABUT_EXPORT size_t malloc_usable_size(void *memory) {
  if (memory == nullptr) return 0;
  const size_t usable = heap::usable_size("malloc_usable_size", memory);
  return usable != 0 ? usable : entry::foreign_usable_size("malloc_usable_size", memory);
}
