// Allocation with a hint, as abut.h has it: a friend that is named need not be found.
#include "abut/abut.h"

#include "api/calls.hpp"
#include "api/export.hpp"

#include <cstring>

using namespace abut;

// Without a line of their own, calls would be replaced by what is in them, and no recorder would see them.
#define ABUT_SEEN __attribute__((noinline))

namespace {

// A plan knows better than a hint what lies beside what.
bool may_be_planned(size_t bytes) { return is_enabled(Policy::plan) && bytes - 1 < kPlacedMost; }

} // namespace

ABUT_EXPORT ABUT_SEEN void *abut_malloc_near(size_t bytes, const void *other) {
  if (may_be_planned(bytes)) [[unlikely]]
    return abut_plan_near(bytes, other);
  return entry::or_no_memory(near::allocate_near(bytes, other));
}

ABUT_EXPORT ABUT_SEEN void *abut_calloc_near(size_t count, size_t each, const void *other) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return entry::or_no_memory(nullptr);
  if (may_be_planned(bytes)) [[unlikely]]
    return abut_plan_calloc(bytes);
  if (bytes > near::kObjectMax) return entry::or_no_memory(heap::allocate_zeroed(bytes));
  void *memory = entry::or_no_memory(near::allocate_near(bytes, other));
  if (memory != nullptr) std::memset(memory, 0, heap::cleared_bytes(bytes));
  return memory;
}

ABUT_EXPORT ABUT_SEEN void abut_touch(const void *, unsigned) { asm volatile(""); }
