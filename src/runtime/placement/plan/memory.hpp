// The memory of a plan: one mapping, in which blocks lie where the plan says, and which the heap knows by its addresses.
#pragma once

#include "base/units.hpp"
#include "placement/plan/format.hpp"
#include "placement/plan/taken_map.hpp"

namespace abut::plan {

// A pool in use: a bump pointer, and of each size the blocks that came back, the last one first.
struct OpenPool {
  struct Free {
    Free *next;
  };
  uint64_t next = 0, end = 0; // granules
  Free *free[kMostObject + 1] = {};
};

class Memory {
public:
  // Maps the plan's memory, and behind it `extra` zeroed bytes for the caller; null where there is none to be had.
  void *open(const View &view, size_t extra);

  // The place at `offset`, of `count` granules; null if something lies there. `alone`: there is one thread only.
  void *take(uint64_t offset, uint32_t count, bool alone) {
    const TakenMap::Taking taking = map_.take(offset, count, alone);
    if (taking == TakenMap::Taking::refused) [[unlikely]]
      return nullptr;
    if (taking == TakenMap::Taking::first_in_word) [[unlikely]]
      return prepare(offset);
    return address_of(offset);
  }

  // The same for one thread where it is quickly done; else false, which says nothing.
  bool take_at_once(uint64_t offset, uint32_t count) {
    const std::atomic_ref prepared(prepared_[offset / kPrepare]);
    return prepared.load(std::memory_order_relaxed) != 0 && map_.take_at_once(offset, count);
  }

  void *address_of(uint64_t granule) const {
    return reinterpret_cast<void *>(base_ + granule * kGranule);
  }

  // The next place in a pool, from 1; null where it is full. Not by two threads at once.
  void *take_from_pool(uint32_t pool, uint32_t count);

  // For any address inside the mapping, and any thread.
  size_t usable(Address address) const;
  // Zero if no block begins there.
  uint32_t give_back(Address address);
  // Whether blocks of that address belong to a pool: then its memory is to be kept for the pool, one thread at a time.
  uint32_t pool_of(Address address) const;
  void keep_for_pool(uint32_t pool, Address address, uint32_t count);

private:
  static constexpr uint64_t kPrepare = 64 * KiB / kGranule;

  void *prepare(uint64_t offset);

  Address base_ = 0;
  uint64_t granules_ = 0;
  TakenMap map_;
  uint8_t *prepared_ = nullptr; // by kPrepare
  OpenPool *pools_ = nullptr;
  uint32_t pool_count_ = 0;
  uint64_t first_pool_ = 0; // granule
};

} // namespace abut::plan
