// What the library of the papers' allocators says of them to tools.
#include "allocators/catalogue.hpp"
#include "api/export.hpp"

extern "C" struct abut_heap {
  const char *name;
  const char *about;
  const char *paper;
  const char *section;
};

ABUT_EXPORT size_t abut_heap_count() { return abut::allocators::kAllocators; }

// The heap at `index`, below abut_heap_count().
ABUT_EXPORT abut_heap abut_heap_at(size_t index) {
  const abut::allocators::Entry &entry = abut::allocators::allocator_at(index);
  return {entry.name, entry.about, entry.paper, entry.section};
}
