// The calls of C that follow from others, whatever heap serves them. Included once by a library, behind its `malloc`,
// `realloc` and
//
//   namespace served {
//   void *aligned(size_t align, size_t bytes);      `align` is a power of two; null and ENOMEM where memory is exhausted
//   void release(const char *call, void *memory);
//   size_t usable(const char *call, void *memory);  of what is not null
//   }
#pragma once

#include "api/export.hpp"
#include "base/units.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>

namespace {

// memalign takes any alignment, as the GNU C library does: the next power of two stands for it.
[[gnu::always_inline]] inline void *aligned_any(size_t align, size_t bytes) {
  if (align <= size_t{1} << 63)
    return served::aligned(std::bit_ceil(std::max<size_t>(align, 1)), bytes);
  errno = EINVAL;
  return nullptr;
}

void *no_memory() {
  errno = ENOMEM;
  return nullptr;
}

} // namespace

ABUT_EXPORT void free(void *memory) { served::release("free", memory); }
ABUT_EXPORT void free_sized(void *memory, size_t) { served::release("free_sized", memory); }
ABUT_EXPORT void free_aligned_sized(void *memory, size_t, size_t) {
  served::release("free_aligned_sized", memory);
}

ABUT_EXPORT void *reallocarray(void *memory, size_t count, size_t each) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, each, &bytes) ? no_memory() : realloc(memory, bytes);
}

ABUT_EXPORT void *aligned_alloc(size_t align, size_t bytes) { return aligned_any(align, bytes); }
ABUT_EXPORT void *memalign(size_t align, size_t bytes) { return aligned_any(align, bytes); }

ABUT_EXPORT int posix_memalign(void **result, size_t align, size_t bytes) {
  if (!abut::is_power_of_two(align) || align % sizeof(void *) != 0) return EINVAL;
  void *memory = served::aligned(align, bytes);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

ABUT_EXPORT void *valloc(size_t bytes) { return served::aligned(abut::kPageBytes, bytes); }
ABUT_EXPORT void *pvalloc(size_t bytes) {
  if (bytes > PTRDIFF_MAX) return no_memory();
  return valloc(abut::round_up(std::max<size_t>(bytes, 1), abut::kPageBytes));
}

ABUT_EXPORT size_t malloc_usable_size(void *memory) {
  return memory != nullptr ? served::usable("malloc_usable_size", memory) : 0;
}
