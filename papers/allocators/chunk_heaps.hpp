// Allocators of chunks of any length side by side: Lea's, reaps, xalloc, and trees.
#pragma once

#include "allocators/layers/address_tree.hpp"
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
  explicit ChunkHeap(Grain grain) : chunks_(grain) {}

  void *allocate(size_t bytes, size_t align) {
    if (bytes < kDirect && align < kDirect) return chunks_.allocate(bytes, align);
    if (void *block = direct_.allocate(bytes, align)) return block;
    settle();
    return direct_.allocate(bytes, align);
  }
  // What waits to be coalesced may be whole areas, which then go back.
  void settle() {
    if constexpr (requires { chunks_.empty_lists(); }) chunks_.empty_lists();
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

// Doug Lea's allocator, 2.7: quick lists below 64 bytes, which a request of up to 504 empties, approximate best fit,
// boundary tags, and the end of memory, Lea's wilderness, last; from 128 KiB on, a mapping each (Feng and Berger, section 2.1).
using LeaRegions = layers::Regions<layers::LogBins, 32, layers::WholeAreas, true>;
using Lea = ChunkHeap<layers::QuickLists<LeaRegions, 64, 504>, 128 * KiB>;

// A reap: a region until something is freed, then a heap of what was freed, until that is used up (section 2.3). Every
// block has a header.
using Reap = ChunkHeap<LeaRegions, 128 * KiB>;

// xalloc, the custom allocator of 197.parser: a stack. What is freed serves again only when it is part of the end, since
// all after it is free, too (sections 4, 4.5).
using Xalloc = ChunkHeap<layers::Regions<layers::NoChunks, 32, layers::WholeAreas, true>, MiB>;

// The address-ordered binary tree, by better fit and by first fit, and the Cartesian tree that it comes from: neighbours
// coalesce, and all that is free is in the tree (Rezaei and Kavi, sections 2.1 and 2.2).
template <layers::Fit kFit, layers::TreeOrder kOrder>
using TreeHeap =
    ChunkHeap<layers::Regions<layers::AddressTree<kFit, kOrder>, 48, layers::WholeAreas>, MiB>;
using Abt = TreeHeap<layers::Fit::better, layers::TreeOrder::address>;
using AbtFirst = TreeHeap<layers::Fit::first, layers::TreeOrder::address>;
using Cartesian = TreeHeap<layers::Fit::better, layers::TreeOrder::length>;

} // namespace abut::allocators
