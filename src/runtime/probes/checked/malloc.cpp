// malloc, free and their relatives as api/malloc.cpp has them, over blocks that are looked at; and abut.h's hints, which place
// nothing here.
#include "api/export.hpp"
#include "context/entry_stub.hpp"
#include "probes/checked/blocks.hpp"

#include <cerrno>

using namespace abut;
using context::Frame;

namespace {

void *or_no_memory(void *memory) {
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

} // namespace

namespace served {
namespace {

void *aligned(size_t align, size_t bytes, Frame frame) {
  return or_no_memory(checked::allocate(align, bytes, frame));
}

void *reallocate(const char *call, void *memory, size_t bytes, Frame frame) {
  if (memory == nullptr) return aligned(1, bytes, frame);
  if (bytes != 0) return or_no_memory(checked::resize(call, memory, bytes, frame));
  checked::release(call, memory, frame);
  return nullptr;
}

} // namespace
} // namespace served

#include "api/framed_calls.hpp"

// ---- allocation ----

static void *zeroed(size_t count, size_t each, Frame frame) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, each, &bytes)
             ? no_memory()
             : or_no_memory(checked::allocate_zeroed(bytes, frame));
}

ABUT_BODY void *abut_checked_malloc(size_t bytes, const Address *sp, Address rbp) {
  return served::aligned(1, bytes, {sp, rbp});
}

ABUT_BODY void *abut_checked_near(size_t bytes, const void *, const Address *sp, Address rbp) {
  return served::aligned(1, bytes, {sp, rbp});
}

ABUT_BODY void *abut_checked_calloc(size_t count, size_t each, const Address *sp, Address rbp) {
  return zeroed(count, each, {sp, rbp});
}

ABUT_BODY void *abut_checked_calloc_near(size_t count, size_t each, const void *, const Address *sp,
                                         Address rbp) {
  return zeroed(count, each, {sp, rbp});
}

ABUT_ENTRY_STUB_1(malloc, abut_checked_malloc);
ABUT_ENTRY_STUB_2(abut_malloc_near, abut_checked_near);
ABUT_ENTRY_STUB_2(calloc, abut_checked_calloc);
ABUT_ENTRY_STUB_3(abut_calloc_near, abut_checked_calloc_near);

ABUT_EXPORT void abut_touch(const void *, unsigned) {}

// ---- free: sizes that are given are not looked at ----

ABUT_BODY void abut_checked_free(void *memory, const Address *sp, Address rbp) {
  checked::release("free", memory, {sp, rbp});
}

ABUT_ENTRY_STUB_1(free, abut_checked_free);
ABUT_ENTRY_STUB_1(free_sized, abut_checked_free);
ABUT_ENTRY_STUB_1(free_aligned_sized, abut_checked_free);

ABUT_BODY size_t abut_checked_usable_size(void *memory, const Address *sp, Address rbp) {
  return memory != nullptr ? checked::usable_size("malloc_usable_size", memory, {sp, rbp}) : 0;
}

ABUT_ENTRY_STUB_1(malloc_usable_size, abut_checked_usable_size);
