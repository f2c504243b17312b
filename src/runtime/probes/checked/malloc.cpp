// malloc, free and their relatives as api/malloc.cpp has them, over blocks that are looked at; and abut.h's hints, which place
// nothing here.
#include "api/export.hpp"
#include "context/entry_stub.hpp"
#include "heap/geometry.hpp"
#include "probes/checked/blocks.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

using namespace abut;
using context::Frame;

namespace {

void *or_no_memory(void *memory) {
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

void *aligned(size_t align, size_t bytes, Frame frame) {
  return or_no_memory(checked::allocate(align, bytes, frame));
}

// memalign takes any alignment: the next power of two stands for it.
void *memalign_any(size_t align, size_t bytes, Frame frame) {
  if (align <= size_t{1} << 63)
    return aligned(std::bit_ceil(std::max<size_t>(align, 1)), bytes, frame);
  errno = EINVAL;
  return nullptr;
}

void *zeroed(size_t count, size_t each, Frame frame) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return or_no_memory(nullptr);
  return or_no_memory(checked::allocate_zeroed(bytes, frame));
}

void *reallocate(const char *call, void *memory, size_t bytes, Frame frame) {
  if (memory == nullptr) return aligned(1, bytes, frame);
  if (bytes != 0) return or_no_memory(checked::resize(call, memory, bytes, frame));
  checked::release(call, memory, frame);
  return nullptr;
}

} // namespace

// ---- allocation ----

ABUT_BODY void *abut_checked_malloc(size_t bytes, const Address *sp, Address rbp) {
  return aligned(1, bytes, {sp, rbp});
}

ABUT_BODY void *abut_checked_near(size_t bytes, const void *, const Address *sp, Address rbp) {
  return aligned(1, bytes, {sp, rbp});
}

ABUT_BODY void *abut_checked_calloc(size_t count, size_t each, const Address *sp, Address rbp) {
  return zeroed(count, each, {sp, rbp});
}

ABUT_BODY void *abut_checked_calloc_near(size_t count, size_t each, const void *, const Address *sp,
                                         Address rbp) {
  return zeroed(count, each, {sp, rbp});
}

ABUT_BODY void *abut_checked_memalign(size_t align, size_t bytes, const Address *sp, Address rbp) {
  return memalign_any(align, bytes, {sp, rbp});
}

ABUT_BODY int abut_checked_posix_memalign(void **result, size_t align, size_t bytes,
                                          const Address *sp, Address rbp) {
  if (!is_power_of_two(align) || align % sizeof(void *) != 0) return EINVAL;
  void *memory = aligned(align, bytes, {sp, rbp});
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

ABUT_BODY void *abut_checked_valloc(size_t bytes, const Address *sp, Address rbp) {
  return aligned(kPageBytes, bytes, {sp, rbp});
}

ABUT_BODY void *abut_checked_pvalloc(size_t bytes, const Address *sp, Address rbp) {
  return bytes > heap::kRequestMax
             ? or_no_memory(nullptr)
             : aligned(kPageBytes, round_up(std::max<size_t>(bytes, 1), kPageBytes), {sp, rbp});
}

ABUT_BODY void *abut_checked_realloc(void *memory, size_t bytes, const Address *sp, Address rbp) {
  return reallocate("realloc", memory, bytes, {sp, rbp});
}

ABUT_BODY void *abut_checked_reallocarray(void *memory, size_t count, size_t each,
                                          const Address *sp, Address rbp) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, each, &bytes)
             ? or_no_memory(nullptr)
             : reallocate("reallocarray", memory, bytes, {sp, rbp});
}

ABUT_ENTRY_STUB_1(malloc, abut_checked_malloc);
ABUT_ENTRY_STUB_2(abut_malloc_near, abut_checked_near);
ABUT_ENTRY_STUB_2(calloc, abut_checked_calloc);
ABUT_ENTRY_STUB_3(abut_calloc_near, abut_checked_calloc_near);
ABUT_ENTRY_STUB_2(memalign, abut_checked_memalign);
ABUT_ENTRY_STUB_2(aligned_alloc, abut_checked_memalign);
ABUT_ENTRY_STUB_3(posix_memalign, abut_checked_posix_memalign);
ABUT_ENTRY_STUB_1(valloc, abut_checked_valloc);
ABUT_ENTRY_STUB_1(pvalloc, abut_checked_pvalloc);
ABUT_ENTRY_STUB_2(realloc, abut_checked_realloc);
ABUT_ENTRY_STUB_3(reallocarray, abut_checked_reallocarray);

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
