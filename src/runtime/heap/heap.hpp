// The default heap: what the folder offers to those above it.
//
// The path of nearly every request and release is in this header, in a straight line:
//
//   allocate   size -> the thread's current page of that size -> the first block of its list
//   release    address -> segment known? -> a live block begins here? -> its page is mine? -> onto its page's list
//
// For small blocks they stand in malloc and free themselves; those of the other tiers are one jump away.
// A thread never locks or waits on it. What a list cannot serve goes out of line.
#pragma once

#include "base/attention.hpp"
#include "heap/current.hpp"

static_assert(abut::heap::kSmallMax == abut::kPlainMost);
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

// A block of a small class in birth order, if the thread has one at hand; else null.
[[gnu::always_inline]] inline void *allocate_of_class(LocalHeap *heap, unsigned size) {
  if (void *block = heap->small.pop(size)) [[likely]]
    return block;
  return heap->small.bump(size);
}

// Whether a request is small, and nobody looks at requests. A plain load, which can be an operand.
[[gnu::always_inline]] inline bool is_plain_request(size_t bytes) {
#if defined(__SANITIZE_THREAD__)
  return bytes <= plain_limit.load(std::memory_order_relaxed);
#else
  return bytes <= reinterpret_cast<const size_t &>(plain_limit);
#endif
}

// A block of `bytes`, which are small, if the thread has one at hand; else null.
[[gnu::always_inline]] inline void *allocate_at_hand(size_t bytes) {
  return current->sizes.take(SmallHeap::class_of(bytes));
}

// A small block, if the thread has one at hand; else null.
[[gnu::always_inline]] inline void *allocate_fast(size_t bytes) {
  return bytes <= kSmallMax ? allocate_at_hand(bytes) : nullptr;
}

// The page of the live block of this thread that begins at `memory`, where it lies in size order; else null.
[[gnu::always_inline]] inline SizePage *own_size_page(const LocalHeap *heap, const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  if (segment_map.kind_at(address) != SegmentKind::size_pages) [[unlikely]]
    return nullptr;
  SizePage *page = SizePage::of(address);
  if (address % Granules::kBytes != 0 || page->state_of(address) != BlockState::live) [[unlikely]]
    return nullptr;
  return page->owner == heap ? page : nullptr;
}

// Takes back a block of a page that own_size_page() told.
[[gnu::always_inline]] inline void release_in_page(LocalHeap *heap, SizePage *page, void *memory) {
  auto *block = static_cast<Block *>(memory);
  if (!SizeHeap::release(page, block)) [[unlikely]]
    heap->free_last(page, block);
}

// The size class of the small block of this thread that lies in birth order and begins at `memory`; nought if it is anything else, or free.
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

// Takes back a small block of this thread in size order; false if it is anything else, or looks wrong.
[[gnu::always_inline]] inline bool release(void *memory) {
  LocalHeap *heap = current;
  SizePage *page = own_size_page(heap, memory);
  if (page == nullptr) [[unlikely]]
    return false;
  release_in_page(heap, page, memory);
  return true;
}

// A small block that takes a step more: what the current page has left, or what is at hand in birth order.
inline void *allocate_next(LocalHeap *heap, unsigned size) {
  return heap->sizes.has_pages() ? heap->sizes.take_next(size) : allocate_of_class(heap, size);
}

// A block that is at hand, but not for the fast path; else null.
inline void *allocate_waiting(size_t bytes) {
  LocalHeap *heap = current;
  if (bytes > kMediumMax) return nullptr;
  if (bytes > kSmallMax) return heap->medium.pop(kMediumClasses.for_bytes(bytes));
  return allocate_next(heap, SmallHeap::class_of(bytes + (bytes == 0)));
}

// The heap of the small or medium block that begins at `memory`; null if it is anything else.
inline LocalHeap *owner_of(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  if (const SizePage *page = size_page_at(address)) {
    const bool begins = address % Granules::kBytes == 0 && page->owner != nullptr &&
                        page->state_of(address) == BlockState::live;
    return begins ? page->owner : nullptr;
  }
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
  return begins ? segment->span_at(address).owner : nullptr;
}

// Takes back a block of this thread that belongs in a bin; false if it is anything else, or looks wrong.
inline bool release_to_bin(void *memory) {
  LocalHeap *heap = current;
  const auto address = reinterpret_cast<Address>(memory);
  if (segment_map.kind_at(address) != SegmentKind::pages) return false;
  Segment *segment = Segment::of(address);
  if (segment->tag_at(address) != heap->medium.tag()) {
    const uint32_t size = own_small_size(heap, memory);
    if (size == 0) return false;
    release_own_small(heap, memory, size);
    return true;
  }
  auto *block = static_cast<Block *>(memory);
  const MediumMap &map = medium_map_at(segment, address);
  const uint32_t at = medium_granule(address);
  if (address % MediumGranules::kBytes != 0 || !map.begins_at(at) || heap->medium.looks_free(block))
    return false;
  heap->free_medium(block, map.length_at(at));
  return true;
}

} // namespace abut::heap
