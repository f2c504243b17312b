// A small heap of a test's own, served as its thread would serve it.
#pragma once

#include "heap/small_heap.hpp"

#include <cstdlib>

namespace abut::heap {

class SmallHeapUser {
public:
  static constexpr uint32_t kTag = 0x7f00 | static_cast<uint32_t>(Tier::small);
  static constexpr uintptr_t kMark = 0x5a5a5a5a5a5a5a5b;

  SmallHeapUser() { heap.open(nullptr, kTag, kMark); }

  void *take(size_t bytes) {
    const unsigned size = SmallHeap::class_of(bytes);
    if (void *block = heap.pop(size)) return block;
    if (void *block = heap.bump(size)) return block;
    return heap.refill(size);
  }

  void free(void *memory) {
    auto *block = static_cast<Block *>(memory);
    const unsigned size = size_of(memory);
    if (!heap.push(block, size)) heap.spill(size);
  }

  // To the maps, past the bins.
  void free_to_map(void *memory) { heap.give_back(static_cast<Block *>(memory)); }

  static SmallMap &map_of(const void *memory) {
    const auto address = reinterpret_cast<Address>(memory);
    return Segment::of(address)->line_at(address);
  }

  // In granules; ends the test if no block begins there.
  static unsigned size_of(const void *memory) {
    const uint32_t at = granule_in_page(reinterpret_cast<Address>(memory));
    if (!map_of(memory).begins_at(at)) std::abort();
    return map_of(memory).length_at(at);
  }

  SmallHeap heap;
};

} // namespace abut::heap
