// Pools: where the objects of a group lie, apart from all others, in the order of their birth.
//
// A pool is a side heap of each thread that allocates in the group: pages of 64 KiB of address space, filled by 4 KiB,
// so that a small group takes 4 KiB and a large one lies in a row; holes are filled before a
// fresh page is begun; pages that become empty go back as those of any heap do. So a pool wastes, for each thread, less
// than one page at its end, what its holes make, and what describes it.
#pragma once

#include "heap/heap.hpp"
#include "placement/above.hpp"

namespace abut::group {

using PoolId = uint16_t; // counted from 1
inline constexpr PoolId kNoPool = 0;
inline constexpr PoolId kMostPools = 254;

struct Group;

// Where a thread places the objects of a site, or of a longer chain; it holds until groups or code change. Without a heap: no
// pool, though other chains of the site have one.
struct PoolChoice {
  Group *group = nullptr;
  heap::LocalHeap *heap = nullptr;
  // What it holds for: an epoch of groups, and a generation of code, see context::ChainTable.
  uint32_t epoch = 0;
  uint16_t generation = 0;
};

// What a thread knows of pools.
struct ThreadPools {
  uint32_t births = 0;                         // objects of groups that it allocated: its clock
  heap::LocalHeap *heaps[kMostPools + 1] = {}; // null where the thread has none yet
  uint32_t pending[kMostPools + 1] = {}; // objects that the thread allocated before it had one

  struct Kept {
    Address key = 0; // the site's return address, or the chain's entry; zero if unused
    PoolChoice choice;
  };
  static constexpr unsigned kLogKept = 9;
  Kept kept[1U << kLogKept];

  Kept &kept_for(Address key) { return kept[key * 0x9e3779b97f4a7c15U >> (64 - kLogKept)]; }
};

// Null where memory is exhausted.
ThreadPools *make_thread_pools(heap::LocalHeap *heap);

inline ThreadPools *thread_pools(heap::LocalHeap *heap) {
  ThreadPools *made = above(*heap).pools;
  return made != nullptr ? made : make_thread_pools(heap);
}

// The heap that serves `pool` for the thread of `heap`: its own, as long as the thread has allocated less than
// `threshold` objects there, or where there are too many pools.
heap::LocalHeap *open_pool(ThreadPools &pools, heap::LocalHeap *heap, PoolId pool,
                           uint32_t threshold);

inline heap::LocalHeap *heap_for(ThreadPools &pools, heap::LocalHeap *heap, PoolId pool,
                                 uint32_t threshold) {
  heap::LocalHeap *found = pools.heaps[pool];
  return found != nullptr ? found : open_pool(pools, heap, pool, threshold);
}

// A block of `size` granules; null where memory is exhausted.
inline void *take(heap::LocalHeap &heap, unsigned size) {
  if (void *block = heap.births.take(size)) return block;
  return heap.allocate_in_birth_order(size * heap::Granules::kBytes);
}

// How full a heap's pages of small blocks are.
struct Occupancy {
  size_t pages = 0; // with a block
  size_t bytes = 0; // of live blocks

  void add(const Occupancy &other) {
    pages += other.pages;
    bytes += other.bytes;
  }
};

// Counts; takes the heap's lock.
Occupancy occupancy_of(heap::LocalHeap &heap);

} // namespace abut::group
