// What tests of the heap write all the time: a block's address, and its end.
#pragma once

#include "heap/heap.hpp"

namespace abut::heap {

inline Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }

inline void free(void *block) {
  if (!release(block)) release_slow("free", block);
}

} // namespace abut::heap
