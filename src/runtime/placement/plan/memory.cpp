#include "placement/plan/memory.hpp"

#include "heap/heap.hpp"
#include "heap/huge_pages.hpp"

#include <cstring>

namespace abut::plan {

void *Memory::open(const View &view, size_t extra) {
  const size_t memory = view.header->memory_bytes;
  granules_ = memory / kGranule;
  const size_t map_bytes = TakenMap::words_for(granules_) * sizeof(uint64_t);
  const size_t prepared_bytes = round_up(granules_ / kPrepare + 1, sizeof(uint64_t));
  const size_t pool_bytes = view.pools.size() * sizeof(OpenPool);
  const size_t all = round_up(memory + map_bytes + prepared_bytes + pool_bytes + extra, kPageBytes);
  void *mapping = heap::segment_map.map(all, all, heap::kSegmentBytes, heap::SegmentKind::placed);
  if (mapping == nullptr) return nullptr;
  base_ = reinterpret_cast<Address>(mapping);
  auto *behind = static_cast<uint8_t *>(mapping) + memory;
  map_.open(reinterpret_cast<uint64_t *>(behind), granules_);
  prepared_ = behind + map_bytes;
  pools_ = reinterpret_cast<OpenPool *>(prepared_ + prepared_bytes);
  pool_count_ = static_cast<uint32_t>(view.pools.size());
  first_pool_ = granules_;
  for (uint32_t i = 0; i < pool_count_; ++i) {
    pools_[i].next = view.pools[i].offset / kGranule;
    pools_[i].end = pools_[i].next + view.pools[i].bytes / kGranule;
  }
  if (pool_count_ != 0) first_pool_ = pools_[0].next;
  if (heap::advise_huge_pages(mapping, memory))
    std::memset(prepared_, 1, prepared_bytes); // they come by themselves
  return reinterpret_cast<uint8_t *>(pools_) + pool_bytes;
}

// The first block in a stretch of pages has all of them made resident in one call.
void *Memory::prepare(uint64_t offset) {
  void *block = address_of(offset);
  const uint64_t stretch = offset / kPrepare;
  const std::atomic_ref prepared(prepared_[stretch]);
  if (prepared.load(std::memory_order_relaxed) != 0 || prepared.exchange(1) != 0) return block;
  const uint64_t first = stretch * kPrepare;
  const uint64_t count = granules_ - first < kPrepare ? granules_ - first : kPrepare;
  os::populate(address_of(first), count * kGranule);
  return block;
}

void *Memory::take_from_pool(uint32_t pool, uint32_t count) {
  OpenPool &open = pools_[pool - 1];
  if (OpenPool::Free *free = open.free[count]) {
    const uint64_t at = (reinterpret_cast<Address>(free) - base_) / kGranule;
    open.free[count] = free->next;
    return map_.take(at, count, false) == TakenMap::Taking::refused ? nullptr : free;
  }
  if (open.end - open.next < count) return nullptr;
  const uint64_t at = open.next;
  open.next += count;
  return take(at, count, false);
}

size_t Memory::usable(Address address) const {
  const uint64_t offset = address - base_;
  return offset % kGranule == 0 ? map_.length_at(offset / kGranule) * size_t{kGranule} : 0;
}

uint32_t Memory::give_back(Address address) {
  const uint64_t offset = address - base_;
  return offset % kGranule == 0 ? map_.give_back(offset / kGranule) : 0;
}

uint32_t Memory::pool_of(Address address) const {
  const uint64_t granule = (address - base_) / kGranule;
  if (granule < first_pool_) return 0;
  for (uint32_t i = pool_count_; i > 0; --i)
    if (granule < pools_[i - 1].end && (i == 1 || granule >= pools_[i - 2].end)) return i;
  return 0;
}

void Memory::keep_for_pool(uint32_t pool, Address address, uint32_t count) {
  auto *block = reinterpret_cast<OpenPool::Free *>(address);
  block->next = pools_[pool - 1].free[count];
  pools_[pool - 1].free[count] = block;
}

} // namespace abut::plan
