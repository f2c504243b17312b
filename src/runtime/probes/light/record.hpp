// What is recorded of a request: a new block once it is there, a free before it happens.
#pragma once

#include "heap/heap.hpp"
#include "placement/above.hpp"
#include "probes/light/contexts.hpp"
#include "probes/ring/ring_writer.hpp"

#include <bit>

namespace abut::light {

using context::Frame;

// As RingWriter's, for events that accesses of other threads may come after. Where none are recorded, threads need not share
// what tells of that.
inline void end_event() {
  ring::writer.end();
  if (!os::has_one_thread() && ring::records_accesses)
    ring::epoch.fetch_add(1, std::memory_order_relaxed);
}

inline void put_birth(ring::Kind kind, const void *memory, size_t bytes, size_t align,
                      uint16_t context) {
  if (!ring::writer.begin()) return;
  const ring::Birth birth{context, reinterpret_cast<Address>(memory), bytes,
                          static_cast<unsigned>(std::bit_width(align))};
  ring::writer.put(birth.first(kind), birth.second());
  end_event();
}

// What comes next may take something over from another thread: a block of that one is freed, or memory is found that it
// freed.
inline void order() {
  if (!os::has_one_thread() &&
      ring::recording.load(std::memory_order_acquire) == ring::Recording::on)
    ring::writer.order();
}

// `align` is what was asked for, a power of two, or zero. A block from anywhere; one of the running thread's heap, unless
// it is too large for that; and one that waited there for the thread.
void *allocated(void *memory, size_t bytes, size_t align, Frame frame);
void *allocated_by_heap(void *memory, size_t bytes, Frame frame);
void *allocated_waiting(void *memory, size_t bytes, Frame frame);

// The word of a block's birth where it is small and near, else zero.
inline ring::Word small_birth(const void *memory, size_t bytes, uint16_t context) {
  return ring::SmallBirth::word_of(reinterpret_cast<Address>(memory),
                                   ring::small_offset.load(std::memory_order_relaxed), bytes,
                                   context);
}

// Records it where nothing else is to be done, at a site that the collector knows of. False where it is not recorded.
[[gnu::always_inline]] inline bool put_small(const void *memory, size_t bytes, Address site) {
  return ring::writer.put_found([=]() -> ring::Word {
    const uint64_t context = known_sites.context_at(site);
    if (context > KnownSites::kMostContext) [[unlikely]]
      return 0;
    return small_birth(memory, bytes, static_cast<uint16_t>(context));
  });
}

// The same where put_small() did not: what is lost is counted.
[[gnu::noinline]] void *allocated_otherwise(void *memory, size_t bytes, Frame frame);

[[gnu::always_inline]] inline void *allocated_small(void *memory, size_t bytes, Frame frame) {
  return put_small(memory, bytes, *frame.sp) ? memory : allocated_otherwise(memory, bytes, frame);
}

// Whether a block of `owner` may have been recorded at a later time than the running thread's last records are of; a large
// one has no owner.
inline bool may_be_later(const heap::LocalHeap *owner) {
  if (owner == nullptr) return true;
  if (owner->keeper == heap::current) return false;
  const uint64_t until = above(*owner).recorded_until.load(std::memory_order_relaxed);
  return until == 0 || until >= ring::writer.time();
}

// Whose block it is; as long as there is one thread, all are its.
inline heap::LocalHeap *owner_of(const void *memory) {
  return os::has_one_thread() ? heap::current : heap::owner_of(memory);
}

// What happens to a block that may be another thread's, where nothing else is to be done.
inline bool put_at_its_time(const heap::LocalHeap *owner, ring::Word word) {
  return may_be_later(owner) ? ring::writer.put_ordered(word) : ring::writer.put_ready(word);
}

// Before the block is free. To be called after order() where it may be another thread's.
void freed(const void *memory);

// At the beginning of a call of realloc, and at its end: `memory` is null where it failed.
void resizing(const void *memory);
void resized(const void *memory, size_t bytes, Frame frame);

void hinted_near(const void *memory, const void *other);
void hinted_touch(const void *memory, unsigned weight);

} // namespace abut::light
