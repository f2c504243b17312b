// The calls of C that follow from others, handing over the frame of their caller, whatever heap serves them. Included once
// by a library, behind
//
//   namespace served {
//   void *aligned(size_t align, size_t bytes, Frame frame);  `align` is a power of two; null and ENOMEM where memory is
//                                                            exhausted
//   void *reallocate(const char *call, void *memory, size_t bytes, Frame frame);
//   }
#pragma once

#include "api/export.hpp"
#include "context/entry_stub.hpp"
#include "heap/geometry.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

namespace {

void *no_memory() {
  errno = ENOMEM;
  return nullptr;
}

} // namespace

ABUT_BODY void *abut_framed_realloc(void *memory, size_t bytes, const abut::Address *sp,
                                    abut::Address rbp) {
  return served::reallocate("realloc", memory, bytes, {sp, rbp});
}

ABUT_BODY void *abut_framed_reallocarray(void *memory, size_t count, size_t each,
                                         const abut::Address *sp, abut::Address rbp) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, each, &bytes)
             ? no_memory()
             : served::reallocate("reallocarray", memory, bytes, {sp, rbp});
}

// memalign takes any alignment: the next power of two stands for it.
ABUT_BODY void *abut_framed_memalign(size_t align, size_t bytes, const abut::Address *sp,
                                     abut::Address rbp) {
  if (align <= size_t{1} << 63)
    return served::aligned(std::bit_ceil(std::max<size_t>(align, 1)), bytes, {sp, rbp});
  errno = EINVAL;
  return nullptr;
}

ABUT_BODY int abut_framed_posix_memalign(void **result, size_t align, size_t bytes,
                                         const abut::Address *sp, abut::Address rbp) {
  if (!abut::is_power_of_two(align) || align % sizeof(void *) != 0) return EINVAL;
  void *memory = served::aligned(align, bytes, {sp, rbp});
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

ABUT_BODY void *abut_framed_valloc(size_t bytes, const abut::Address *sp, abut::Address rbp) {
  return served::aligned(abut::kPageBytes, bytes, {sp, rbp});
}

ABUT_BODY void *abut_framed_pvalloc(size_t bytes, const abut::Address *sp, abut::Address rbp) {
  if (bytes > abut::heap::kRequestMax) return no_memory();
  return abut_framed_valloc(abut::round_up(std::max<size_t>(bytes, 1), abut::kPageBytes), sp, rbp);
}

ABUT_ENTRY_STUB_2(realloc, abut_framed_realloc);
ABUT_ENTRY_STUB_3(reallocarray, abut_framed_reallocarray);
ABUT_ENTRY_STUB_2(memalign, abut_framed_memalign);
ABUT_ENTRY_STUB_2(aligned_alloc, abut_framed_memalign);
ABUT_ENTRY_STUB_3(posix_memalign, abut_framed_posix_memalign);
ABUT_ENTRY_STUB_1(valloc, abut_framed_valloc);
ABUT_ENTRY_STUB_1(pvalloc, abut_framed_pvalloc);
