// Allocation with a hint, as abut.h has it. The hints are for recorders, which see the calls; the heap does not follow
// them yet.
#include "abut/abut.h"

#include "entry/export.hpp"

#include <cstdlib>

// Without a line of their own, calls would be replaced by what is in them, and nobody would see them.
#define ABUT_SEEN __attribute__((noinline, noclone))

ABUT_EXPORT ABUT_SEEN void *abut_malloc_near(size_t bytes, const void *) { return malloc(bytes); }

ABUT_EXPORT ABUT_SEEN void *abut_calloc_near(size_t count, size_t bytes, const void *) {
  return calloc(count, bytes);
}

ABUT_EXPORT ABUT_SEEN void abut_touch(const void *, unsigned) { asm volatile(""); }
