#include "placement/pools/pools.hpp"

#include "heap/page_store.hpp"
#include "placement/pools/usage.hpp"

#include <bitset>
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
  above(*heap).pools = made;
  if (sampling) sample::join();
  return made;
}

heap::LocalHeap *open_pool(ThreadPools &pools, heap::LocalHeap *heap, PoolId pool,
                           uint32_t threshold) {
  if (++pools.pending[pool] < threshold) return heap;
  heap::LocalHeap *side = nullptr;
  if (heaps_open.fetch_add(1, std::memory_order_relaxed) < kMostHeaps)
    side = heap::heap_registry.open_side(heap, pool);
  pools.heaps[pool] = side != nullptr ? side : heap;
  return pools.heaps[pool];
}

Occupancy occupancy_of(heap::LocalHeap &heap) {
  Occupancy found;
  std::lock_guard guard(heap.lock());
  heap::birth_pages.each_page([&](const heap::Page &page) {
    if (page.owner != &heap) return;
    std::bitset<heap::kBlockPageBytes / kPageBytes> held;
    for (uint32_t at = 0; at < heap::kGranulesInPage; ++at) {
      const heap::Cell cell = heap::load_plainly(heap::cells_of(page)[at]);
      if (!heap::is_live(cell)) continue;
      held[at * heap::Granules::kBytes / kPageBytes] = true;
      found.bytes += heap::granules_of(cell) * heap::Granules::kBytes;
    }
    found.pages += held.count();
  });
  return found;
}

} // namespace abut::group
