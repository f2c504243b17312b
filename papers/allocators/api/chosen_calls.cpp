// malloc and its kin, and operator new and delete, on the chosen one of the papers' allocators: the same calls as
// malloc.cpp and operators.cpp have, without friends and fast paths. Statistics remain the C library's.
#include "allocators/api/chosen.hpp"
#include "api/export.hpp"
#include "api/new_handlers.hpp"

#include <cerrno>
#include <cstdlib> // before what it declares is defined

namespace served {
namespace {

void *or_no_memory(void *memory) {
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}
void *allocate(size_t bytes) { return abut::chosen::allocate(bytes); }
void *allocate_aligned(size_t align, size_t bytes) { return abut::chosen::allocate(bytes, align); }
void *aligned(size_t align, size_t bytes) { return or_no_memory(allocate_aligned(align, bytes)); }

} // namespace
using abut::chosen::release;
using abut::chosen::usable;
} // namespace served

ABUT_EXPORT void *malloc(size_t bytes) { return served::or_no_memory(served::allocate(bytes)); }

ABUT_EXPORT void *calloc(size_t count, size_t each) {
  size_t bytes = 0;
  return served::or_no_memory(
      __builtin_mul_overflow(count, each, &bytes) ? nullptr : abut::chosen::allocate_zeroed(bytes));
}

ABUT_EXPORT void *realloc(void *memory, size_t bytes) {
  if (memory == nullptr) return malloc(bytes);
  if (bytes != 0) return served::or_no_memory(abut::chosen::resize("realloc", memory, bytes));
  served::release("realloc", memory);
  return nullptr;
}

// Pages that are free have gone back already, or never do, once all that was freed is.
ABUT_EXPORT int malloc_trim(size_t) {
  abut::chosen::settle();
  return 0;
}

ABUT_EXPORT_CXX void *operator new(size_t bytes) {
  return abut::entry::allocate_or_throw([=] { return served::allocate(bytes); });
}
ABUT_EXPORT_CXX void *operator new[](size_t bytes) { return operator new(bytes); }

#include "api/derived_calls.hpp"
#include "api/every_delete.hpp"
#include "api/more_new.hpp"
