// The default heap: what the folder offers to those above it.
//
// The path of nearly every request and release is in this header, in a straight line:
//
//   allocate   size -> class -> the thread's bin of that class has a block? take it : take it from the hole
//   release    address -> segment known? -> unit's tag is mine? -> a block begins here? -> into its bin
//
// For small blocks they stand in malloc and free themselves; those of the other tiers are one jump away.
// A thread never locks or waits on it. What a bin or a hole cannot serve goes out of line.
#pragma once

#include "heap/current.hpp"

static_assert(abut::heap::kSmallClasses <= abut::heap::SmallMap::kShort);

namespace abut::heap {

// ---- out of line ----

// What allocate_fast() could not serve.
void *allocate_slow(size_t bytes);

// A block of at least `bytes`; null where memory is exhausted. errno is left alone.
void *allocate(size_t bytes);
void *allocate_zeroed(size_t bytes);

// `align` is a power of two. Null where memory is exhausted or the sum is out of range.
void *allocate_aligned(size_t align, size_t bytes);

enum class Release : uint8_t {
  done,
  foreign, // not an address of this heap
};

// Takes back a block of any kind. `call` names the caller's function in messages. Ends the process where `memory` is an
// address of this heap at which no block begins, or a block that was freed before.
Release release_slow(const char *call, void *memory);

// Bytes that may be used from `memory` on; nought if the address is not this heap's.
size_t usable_size(const char *call, void *memory);

struct Resized {
  void *memory = nullptr; // null where memory is exhausted: the old block stays
  bool foreign = false;
};

// The block's contents at a place that holds `bytes`. Neither argument is null or nought.
Resized resize(const char *call, void *memory, size_t bytes);

// Gives back to the kernel what can be given back; returns the bytes.
size_t trim();

// For fork: before, and after in the parent and in the child.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

// ---- in line ----

// A block of a small class, if the thread has one at hand; else null.
[[gnu::always_inline]] inline void *allocate_of_class(LocalHeap *heap, unsigned size) {
  if (void *block = heap->small.pop(size)) [[likely]]
    return block;
  return heap->small.bump(size);
}

// A small block, if the thread has one at hand; else null.
[[gnu::always_inline]] inline void *allocate_fast(size_t bytes) {
  LocalHeap *heap = current;
  if (bytes - (kTinyMax + 1) > kSmallMax - (kTinyMax + 1)) [[unlikely]]
    return nullptr;
  return allocate_of_class(heap, SmallHeap::class_of(bytes));
}

// The size class of the small block of this thread that begins at `memory`; nought if it is anything else, or free.
[[gnu::always_inline]] inline uint32_t own_small_size(const LocalHeap *heap, const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  if (segment_map.kind_at(address) != SegmentKind::pages) [[unlikely]]
    return 0;
  Segment *segment = Segment::of(address);
  if (segment->tag_at(address) != heap->small.tag()) [[unlikely]]
    return 0;
  const SmallMap &map = segment->line_at(address);
  const uint32_t at = granule_in_page(address);
  if (address % Granules::kBytes != 0 || !map.short_begins_at(at)) [[unlikely]]
    return 0;
  if (heap->small.looks_free(static_cast<const Block *>(memory))) [[unlikely]]
    return 0;
  return map.short_length_at(at);
}

// Takes back the block that own_small_size() told the size of.
[[gnu::always_inline]] inline void release_own_small(LocalHeap *heap, void *memory, uint32_t size) {
  if (!heap->small.push(static_cast<Block *>(memory), size)) [[unlikely]]
    heap->spill_small(size);
  else
    heap->count_free();
}

// Takes back a small block of this thread; false if it is anything else, or looks wrong.
[[gnu::always_inline]] inline bool release(void *memory) {
  LocalHeap *heap = current;
  const uint32_t size = own_small_size(heap, memory);
  if (size == 0) [[unlikely]]
    return false;
  release_own_small(heap, memory, size);
  return true;
}

// A tiny or medium block that waits in a bin of the thread, or null.
inline void *allocate_waiting(size_t bytes) {
  LocalHeap *heap = current;
  if (bytes <= kTinyMax) return heap->tiny.pop();
  if (bytes <= kSmallMax || bytes > kMediumMax) return nullptr;
  return heap->medium.pop(kMediumClasses.for_bytes(bytes));
}

// The heap of the small, medium or tiny block that begins at `memory`; null if it is anything else.
inline LocalHeap *owner_of(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  if (segment_map.kind_at(address) != SegmentKind::pages) return nullptr;
  Segment *segment = Segment::of(address);
  const Tier tier = tier_of(segment->tag_at(address));
  bool begins = false;
  if (tier == Tier::small)
    begins = address % Granules::kBytes == 0 &&
             segment->line_at(address).begins_at(granule_in_page(address));
  else if (tier == Tier::medium)
    begins = address % MediumGranules::kBytes == 0 &&
             medium_map_at(segment, address).begins_at(medium_granule(address));
  else if (tier == Tier::tiny)
    begins = address % kTinyMax == 0 && is_taken_cell(segment, address);
  return begins ? segment->span_at(address).owner : nullptr;
}

// Takes back a tiny or medium block of this thread; false if it is anything else, or looks wrong.
inline bool release_to_bin(void *memory) {
  LocalHeap *heap = current;
  const auto address = reinterpret_cast<Address>(memory);
  if (segment_map.kind_at(address) != SegmentKind::pages) return false;
  Segment *segment = Segment::of(address);
  const uint32_t tag = segment->tag_at(address);
  auto *block = static_cast<Block *>(memory);
  if (tag == heap->tiny.tag()) {
    if (address % kTinyMax != 0 || !is_taken_cell(segment, address)) return false;
    if (heap->tiny.looks_free(block)) return false;
    heap->free_tiny(block);
    return true;
  }
  if (tag != heap->medium.tag() || address % MediumGranules::kBytes != 0) return false;
  const MediumMap &map = medium_map_at(segment, address);
  const uint32_t at = medium_granule(address);
  if (!map.begins_at(at) || heap->medium.looks_free(block)) return false;
  heap->free_medium(block, map.length_at(at));
  return true;
}

} // namespace abut::heap
