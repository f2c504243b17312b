// What derived_calls.hpp, more_new.hpp and every_delete.hpp ask for, of abut's own heap.
#pragma once

#include "api/calls.hpp"

namespace served {

using abut::entry::release;
using abut::heap::allocate;
using abut::heap::allocate_aligned;

inline void *aligned(size_t align, size_t bytes) {
  return abut::entry::or_no_memory(abut::heap::allocate_aligned(align, bytes));
}
inline size_t usable(const char *call, void *memory) {
  if (const abut::heap::LiveBlock block = abut::heap::live_block(memory))
    return block.page->block_bytes();
  const size_t usable = abut::heap::usable_size(call, memory);
  return usable != 0 ? usable : abut::entry::foreign_usable_size(call, memory);
}

} // namespace served
