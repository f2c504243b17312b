// Entry points that hand over the frame of their caller, and where objects may be put beside friends, its registers.
#pragma once

#include "api/calls.hpp"
#include "api/capture_stub.hpp"
#include "api/export.hpp"
#include "api/frame_stub.hpp"
#include "base/policies.hpp"
#include "context/entry_stub.hpp"
#include "placement/friends/placement.hpp"
#include "probes/light/record.hpp"

extern "C" void *abut_light_record(size_t bytes, void *memory);

namespace abut::light {

inline Frame frame_of(const near::Captured *captured) {
  return {&captured->words[near::Captured::kReturnAddress], captured->words[1]};
}

// An entry point that has no need of its caller's frame while all goes well. Else it goes on, by a jump, so that the stack
// pointer still points to the return address (api/frame_stub.hpp): Look where friends are enabled, Fetch
// where no block is at hand, abut_light_record with a block that is not recorded yet.
template <void *Look(size_t), void *Fetch(size_t)>
[[gnu::always_inline]] inline void *allocate(size_t bytes, Address site) {
  if (any_policy_enabled() && !sites::table.is_plain(site)) [[unlikely]]
    return Look(bytes);
  void *memory = heap::allocate_if_small(bytes);
  if (memory == nullptr) [[unlikely]]
    return Fetch(bytes);
  if (put_small(memory, bytes, site)) [[likely]]
    return memory;
  return abut_light_record(bytes, memory);
}

// What release() does with what is no small block of the running thread; and where there is more to do than to write it
// down.
[[gnu::noinline]] inline void release_other(const char *call, void *memory) {
  if (memory == nullptr) return;
  if (ring::writer.drops_one()) return entry::release_unusual(memory, call);
  const auto record = event(ring::Kind::free, reinterpret_cast<Address>(memory));
  heap::LocalHeap *owner = owner_of(memory);
  if (put_at_its_time(owner, record)) return entry::release_unusual(memory, call);
  if (!ring::writer.drops() && ring::is_recording()) {
    order();
    freed(memory);
  }
  entry::release_unusual(memory, call);
}
[[gnu::noinline]] inline void release_slow(void *memory, const char *call) {
  if (!ring::writer.drops()) freed(memory);
  entry::release(call, memory);
}

// A block that is not small, or that the thread has not at hand.
// From the cursor, never the block that was freed last: another thread's free of it may not have been written down yet.
[[gnu::noinline]] inline void *allocate_slow(size_t bytes, Frame frame) {
  if (bytes > heap::kSmallMax && bytes <= heap::kMediumMax)
    if (void *memory = heap::current->sizes.take(heap::size_class(bytes)))
      return allocated_small(memory, bytes, frame);
  if (void *memory = heap::allocate_next(bytes)) return allocated_by_heap(memory, bytes, frame);
  return allocated_by_heap(entry::or_no_memory(heap::allocate_slow(bytes)), bytes, frame);
}

// What allocate() does where no policy is enabled, for those who know the frame.
inline void *allocate_here(size_t bytes, Frame frame) {
  void *memory = heap::allocate_if_small(bytes);
  return memory != nullptr ? allocated_small(memory, bytes, frame) : allocate_slow(bytes, frame);
}

// As entry::release. The free is recorded before it happens.
[[gnu::always_inline]] inline void release(const char *call, void *memory) {
  const heap::LiveBlock block = heap::live_block(memory);
  if (!block || block.page->owner != heap::current) [[unlikely]]
    return release_other(call, memory);
  const auto record = event(ring::Kind::free, reinterpret_cast<Address>(memory));
  if (!ring::writer.put_ready(record)) [[unlikely]]
    return release_slow(memory, call);
  if (!heap::free_block(block)) [[unlikely]]
    entry::release_unusual(memory, call);
}

// Where friends are enabled: the context of a block that may have a friend; or zero. No pool is asked for here.
inline Address context_to_place(size_t bytes, Address site) {
  if (bytes - 1 >= kPlacedMost) return 0;
  return near::decide(bytes, site).context;
}

// A small block beside its friend, if it has one, recorded; null where memory is exhausted.
inline void *allocate_placed(size_t bytes, const near::Captured *captured, Address context) {
  if (void *memory = near::allocate_beside(bytes, *captured, context))
    return allocated_small(memory, bytes, frame_of(captured));
  return allocated(near::allocate(bytes, *captured, context), bytes, 0, frame_of(captured));
}

} // namespace abut::light
