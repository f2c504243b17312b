// What the library of the papers' allocators says of them to tools.
#include "allocators/catalogue.hpp"
#include "api/export.hpp"

ABUT_EXPORT size_t abut_heap_count() { return abut::allocators::kAllocators; }

// The heap at `index`, below abut_heap_count(); it begins with its name, and what and whose it is.
ABUT_EXPORT const abut::allocators::Entry *abut_heap_at(size_t index) {
  return &abut::allocators::allocator_at(index);
}
