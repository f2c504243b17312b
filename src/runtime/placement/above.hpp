// What the layers above the heap keep with each heap. It stays when another thread takes the heap over.
#pragma once

#include "heap/local_heap.hpp"

namespace abut::near {
class NearHeap;
}
namespace abut::group {
struct ThreadPools;
}

namespace abut {

struct Above {
  near::NearHeap *near_heap = nullptr;
  size_t set_aside = 0; // bytes of cells reserved beside friends
  group::ThreadPools *pools = nullptr;
  // No block of the heap was recorded at a later time than this. Zero where that is not known.
  std::atomic<uint64_t> recorded_until{0};
};
static_assert(sizeof(Above) <= heap::LocalHeap::kBytesAbove);

[[gnu::always_inline]] inline Above &above(heap::LocalHeap &heap) {
  return reinterpret_cast<Above &>(heap.above);
}
inline const Above &above(const heap::LocalHeap &heap) {
  return reinterpret_cast<const Above &>(heap.above);
}

} // namespace abut
