// What is recorded of a request: a new block once it is there, a free before it happens.
#pragma once

#include "light/contexts.hpp"
#include "ring/lane.hpp"

#include <bit>

namespace abut::light {

using context::Frame;

// As Lane's, for events that accesses of other threads may come after. Where none are recorded, threads need not share
// what tells of that.
inline void end_event() {
  ring::lane.end();
  if (!os::has_one_thread() && ring::records_accesses)
    ring::epoch.fetch_add(1, std::memory_order_relaxed);
}

inline void put_birth(ring::Kind kind, const void *memory, size_t bytes, size_t align,
                      uint16_t context) {
  if (!ring::lane.begin()) return;
  const ring::Birth birth{context, reinterpret_cast<Address>(memory), bytes,
                          static_cast<unsigned>(std::bit_width(align))};
  ring::lane.put(birth.first(kind), birth.second());
  end_event();
}

// What comes next may take something over from another thread: a block of that one is freed, or memory is found that it
// freed.
inline void order() {
  if (!os::has_one_thread() &&
      ring::recording.load(std::memory_order_acquire) == ring::Recording::on)
    ring::lane.order();
}

// `align` is what was asked for, a power of two, or nought. A block from anywhere; and one that the running thread was
// given from what waited for it.
void *allocated(void *memory, size_t bytes, size_t align, Frame frame);
void *allocated_waiting(void *memory, size_t bytes, Frame frame);

// The birth of a block where it is small and near, and nothing else is to be done.
[[gnu::always_inline]] inline bool put_small(const void *memory, size_t bytes, uint16_t context) {
  const uint64_t distance =
      reinterpret_cast<Address>(memory) - ring::anchor.load(std::memory_order_relaxed);
  if (distance >= ring::SmallBirth::kReach || bytes >= ring::SmallBirth::kMostSize) [[unlikely]]
    return false;
  const ring::SmallBirth birth{context, static_cast<uint16_t>(bytes),
                               static_cast<uint32_t>(distance >> ring::SmallBirth::kGranuleShift)};
  return ring::lane.put_ready(birth.word());
}

// The same of a small block. What is asked of a lane at last comes after what is asked of a site, see KnownSites.
[[gnu::always_inline]] inline void *allocated_small(void *memory, size_t bytes, Frame frame) {
  if (ring::lane.is_ready()) [[likely]] {
    const uint16_t context = known_sites.context_at(*frame.sp);
    if (context != 0 && put_small(memory, bytes, context)) [[likely]]
      return memory;
  } else if (ring::lane.is_deaf()) {
    ring::lane.drop();
    return memory;
  }
  return allocated_waiting(memory, bytes, frame);
}

// Before the block is free. To be called after order() where it may be another thread's.
void freed(const void *memory);

// At the beginning of a call of realloc, and at its end: `memory` is null where it failed.
void resizing(const void *memory);
void resized(const void *memory, size_t bytes, Frame frame);

void hinted_near(const void *memory, const void *other);
void hinted_touch(const void *memory, unsigned weight);

} // namespace abut::light
