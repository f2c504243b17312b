// Doug Lea's allocator, 2.7: quick lists, approximate best fit, boundary tags (Feng and Berger, section 2.1).
#pragma once

#include "allocators/layers/chunk_lists.hpp"
#include "allocators/layers/direct.hpp"
#include "allocators/layers/quick_lists.hpp"
#include "allocators/layers/regions.hpp"
#include "allocators/layers/sources.hpp"

namespace abut::allocators {

using layers::Grain;
using layers::Release;

// Chunks of any length side by side, and mappings for what is too long for that.
template <class Chunks, size_t kDirect>
class ChunkHeap {
public:
  template <class... Arguments>
  explicit ChunkHeap(Arguments... arguments) : chunks_(arguments...) {}

  void *allocate(size_t bytes, size_t align) {
    if (bytes < kDirect && align < kDirect) return chunks_.allocate(bytes, align);
    if (void *block = direct_.allocate(bytes, align)) return block;
    // What waits to be coalesced may be whole areas, which then go back.
    if constexpr (requires { chunks_.empty_lists(); }) chunks_.empty_lists();
    return direct_.allocate(bytes, align);
  }
  Release release(void *block) {
    return is_chunk(block) ? chunks_.release(block) : direct_.release(block);
  }
  size_t usable(const void *block) const {
    return is_chunk(block) ? chunks_.usable(block) : direct_.usable(block);
  }

private:
  static bool is_chunk(const void *block) {
    return layers::kind_of(block) == layers::AreaKind::chunks;
  }

  Chunks chunks_;
  layers::Direct direct_;
};

struct LeaPolicy {
  using Index = layers::LogBins;
  static constexpr size_t kLeast = 32;
  static constexpr bool kBump = true; // the end of memory serves last: Lea's wilderness
  static constexpr bool kDiscard = false;
};

// Quick lists below 64 bytes; a request of up to 504 empties them; from 128 KiB on, a mapping each.
using LeaChunks = layers::QuickLists<layers::Regions<LeaPolicy, layers::WholeAreas>, 64, 504>;

class Lea : public ChunkHeap<LeaChunks, 128 * KiB> {
public:
  explicit Lea(Grain grain) : ChunkHeap(grain, layers::WholeAreas{}) {}
};

} // namespace abut::allocators
