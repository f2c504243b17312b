#include "placement/pools/pools.hpp"

#include "base/bump.hpp"
#include "heap/page_runs.hpp"
#include "placement/pools/usage.hpp"

#include <mutex>
#include <new>

namespace abut::group {
namespace {

// Each is described by some pages, whatever it holds.
constexpr uint32_t kMostHeaps = 512;
std::atomic<uint32_t> heaps_open{0};

} // namespace

ThreadPools *make_thread_pools(heap::LocalHeap *heap) {
  void *memory = os::map(round_up(sizeof(ThreadPools), kPageBytes));
  if (memory == nullptr) return nullptr;
  auto *made = new (memory) ThreadPools;
  heap->side_table = made;
  if (sampling) sample::join();
  return made;
}

heap::LocalHeap *open_pool(ThreadPools &pools, heap::LocalHeap *heap, PoolId pool,
                           uint32_t threshold) {
  if (++pools.waits[pool] < threshold) return heap;
  heap::LocalHeap *side = nullptr;
  if (heaps_open.fetch_add(1, std::memory_order_relaxed) < kMostHeaps)
    side = heap::heap_registry.open_side(heap, pool);
  pools.heaps[pool] = side != nullptr ? side : heap;
  return pools.heaps[pool];
}

namespace {

void count_span(Occupancy &found, const heap::Segment &segment, unsigned unit) {
  const unsigned first = unit * heap::kPagesInUnit;
  for (unsigned page = first; page < first + heap::kPagesInUnit; ++page) {
    const heap::SmallMap &map = segment.lines[page];
    if (map.empty()) continue;
    ++found.pages;
    found.bytes += heap::Granules{heap::kGranulesInPage - map.cover().free_granules()}.bytes();
  }
}

} // namespace

Occupancy occupancy_of(heap::LocalHeap &heap) {
  Occupancy found;
  std::lock_guard guard(heap.lock());
  heap::page_runs.each_segment([&](heap::Segment &segment) {
    for (unsigned unit = 0; unit < heap::kUnitsInSegment; ++unit)
      if (segment.tags[unit].load(std::memory_order_relaxed) == heap.small.tag())
        count_span(found, segment, unit);
  });
  size_t waiting = 0;
  for (unsigned size = 1; size <= heap::kSmallClasses; ++size)
    waiting += static_cast<size_t>(std::max(heap.small.bin(size).count_from_outside(), 0)) * size;
  found.bytes -= std::min(found.bytes, waiting * heap::Granules::kBytes);
  return found;
}

} // namespace abut::group
