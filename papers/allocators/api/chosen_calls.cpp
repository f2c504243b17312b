// malloc and its kin, and operator new and delete, on the chosen one of the papers' allocators: the same calls as
// malloc.cpp and operators.cpp have, without friends and straight paths. Statistics remain the C library's.
#include "allocators/api/chosen.hpp"
#include "api/export.hpp"
#include "api/new_handlers.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

using namespace abut;
using entry::allocate_or_null;
using entry::allocate_or_throw;
using entry::bytes_of;

namespace {

void *or_no_memory(void *memory) {
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

void *aligned_any(size_t align, size_t bytes) {
  if (align > size_t{1} << 63) {
    errno = EINVAL;
    return nullptr;
  }
  return or_no_memory(chosen::allocate(bytes, std::bit_ceil(std::max<size_t>(align, 1))));
}

} // namespace

ABUT_EXPORT void *malloc(size_t bytes) { return or_no_memory(chosen::allocate(bytes)); }
ABUT_EXPORT void free(void *memory) { chosen::release("free", memory); }
ABUT_EXPORT void free_sized(void *memory, size_t) { chosen::release("free_sized", memory); }
ABUT_EXPORT void free_aligned_sized(void *memory, size_t, size_t) {
  chosen::release("free_aligned_sized", memory);
}

ABUT_EXPORT void *calloc(size_t count, size_t each) {
  size_t bytes = 0;
  return or_no_memory(__builtin_mul_overflow(count, each, &bytes) ? nullptr
                                                                  : chosen::allocate_zeroed(bytes));
}

ABUT_EXPORT void *realloc(void *memory, size_t bytes) {
  if (memory == nullptr) return or_no_memory(chosen::allocate(bytes));
  if (bytes != 0) return or_no_memory(chosen::resize("realloc", memory, bytes));
  chosen::release("realloc", memory);
  return nullptr;
}

ABUT_EXPORT void *reallocarray(void *memory, size_t count, size_t each) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, each, &bytes) ? or_no_memory(nullptr)
                                                     : realloc(memory, bytes);
}

ABUT_EXPORT void *aligned_alloc(size_t align, size_t bytes) { return aligned_any(align, bytes); }
ABUT_EXPORT void *memalign(size_t align, size_t bytes) { return aligned_any(align, bytes); }

ABUT_EXPORT int posix_memalign(void **result, size_t align, size_t bytes) {
  if (!is_power_of_two(align) || align % sizeof(void *) != 0) return EINVAL;
  void *memory = or_no_memory(chosen::allocate(bytes, align));
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

ABUT_EXPORT void *valloc(size_t bytes) { return aligned_any(kPageBytes, bytes); }

ABUT_EXPORT void *pvalloc(size_t bytes) {
  return bytes > chosen::kRequestMax
             ? or_no_memory(nullptr)
             : aligned_any(kPageBytes, round_up(std::max<size_t>(bytes, 1), kPageBytes));
}

ABUT_EXPORT size_t malloc_usable_size(void *memory) {
  return memory != nullptr ? chosen::usable("malloc_usable_size", memory) : 0;
}

// Pages that are free have gone back already, or never do, once all that was freed is.
ABUT_EXPORT int malloc_trim(size_t) {
  chosen::settle();
  return 0;
}

#define ABUT_NEW(name)                                                                             \
  ABUT_EXPORT_CXX void *name(size_t bytes) {                                                       \
    return allocate_or_throw([=] { return chosen::allocate(bytes); });                             \
  }                                                                                                \
  ABUT_EXPORT_CXX void *name(size_t bytes, const std::nothrow_t &) noexcept {                      \
    return allocate_or_null([=] { return chosen::allocate(bytes); });                              \
  }                                                                                                \
  ABUT_EXPORT_CXX void *name(size_t bytes, std::align_val_t align) {                               \
    return allocate_or_throw([=] { return chosen::allocate(bytes, bytes_of(align)); });            \
  }                                                                                                \
  ABUT_EXPORT_CXX void *name(size_t bytes, std::align_val_t align,                                 \
                             const std::nothrow_t &) noexcept {                                    \
    return allocate_or_null([=] { return chosen::allocate(bytes, bytes_of(align)); });             \
  }

ABUT_NEW(operator new)
ABUT_NEW(operator new[])

#define ABUT_DELETE(...)                                                                           \
  ABUT_EXPORT_CXX void operator delete(__VA_ARGS__) noexcept {                                     \
    chosen::release("operator delete", memory);                                                    \
  }                                                                                                \
  ABUT_EXPORT_CXX void operator delete[](__VA_ARGS__) noexcept {                                   \
    chosen::release("operator delete[]", memory);                                                  \
  }

ABUT_DELETE(void *memory)
ABUT_DELETE(void *memory, size_t)
ABUT_DELETE(void *memory, const std::nothrow_t &)
ABUT_DELETE(void *memory, std::align_val_t)
ABUT_DELETE(void *memory, size_t, std::align_val_t)
ABUT_DELETE(void *memory, std::align_val_t, const std::nothrow_t &)
