// The heap: what the folder offers to those above it. heap/README.md tells how it works.
//
// The path of nearly every request and release is in this header, in a straight line:
//
//   allocate   size -> the thread's cursor for it -> the lowest free of its 64 blocks -> its state: live
//   release    address -> page -> the block's state: is it live? -> free
//
// For small blocks they stand in malloc and free themselves; those of the other tiers are one jump away.
// Neither locks nor waits. What a cursor cannot serve goes out of line.
#pragma once

#include "base/policies.hpp"
#include "heap/current.hpp"
#include "heap/placed_blocks.hpp"

#include <algorithm>
#include <cstring>

static_assert(abut::heap::kTinyMax + 1 == abut::kPlainLeast);
static_assert(abut::heap::kSmallMax == abut::kPlainMost);

namespace abut::heap {

// ---- out of line ----

// A block of at least `bytes`, from the cursor; null where memory is exhausted. errno is left alone.
void *allocate(size_t bytes);
void *allocate_zeroed(size_t bytes);

// Makes part of a block read as zero; what was never written to does not become resident.
void clear(void *memory, size_t bytes);

// `align` is a power of two. Null where memory is exhausted or the sum is out of range.
void *allocate_aligned(size_t align, size_t bytes);

// What the cursors could not serve.
void *allocate_slow(size_t bytes);

enum class Release : uint8_t {
  done,
  foreign, // not an address of this heap
};

// Takes back a block of any kind. `call` names the caller's function in messages. Ends the process where `memory` is an
// address of this heap at which no block begins, or a block that was freed before.
Release release_slow(const char *call, void *memory);

// Bytes that may be used from `memory` on; zero if the address is not this heap's.
size_t usable_size(const char *call, void *memory);

struct Resized {
  void *memory = nullptr; // null where memory is exhausted: the old block stays
  bool foreign = false;
};

// The block's contents at a place that holds `bytes`. Neither argument is null or zero.
Resized resize(const char *call, void *memory, size_t bytes);

// The same of the live block at `memory` if `bytes` are small and it cannot stay where it is; null where memory is exhausted.
void *move_to_small(LiveBlock block, void *memory, size_t bytes);

// After free_block() refused.
void free_last(LiveBlock block);
void free_last(BirthBlock block);

// Once the options are read: libraries whose constructors come before have allocated, in an order that nobody had chosen.
void follow_options();

// Gives back to the kernel what can be given back; returns the bytes.
size_t trim();

// For fork: before, and after in the parent and in the child.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

// The heap of the block of up to 32 KiB that begins at `memory`; null if it is anything else.
LocalHeap *owner_of(const void *memory);

// Of the small block around an address that a heap of `keeper`'s thread owns; nowhere if there is none. For the running
// thread's own heaps, under their lock, which keeps their pages from going back meanwhile.
Extent extent_of(const LocalHeap *keeper, Address address);

// Whether blocks of up to 2 MiB may lie at an address, and the address can be read.
inline bool may_hold_blocks(Address address) {
  switch (segment_map.kind_at(address)) {
  case SegmentKind::size_pages:
  case SegmentKind::birth_pages: return PageSegment::is_mapped(address);
  default: return false;
  }
}

// ---- in line ----

// Whether a request is of one of so many sizes, from the first that is not tiny on.
[[gnu::always_inline]] inline bool is_among(size_t bytes, size_t sizes) {
  if (bytes - kPlainLeast >= sizes) return false;
  if (bytes <= kTinyMax || bytes > kSmallMax) __builtin_unreachable();
  return true;
}
// A plain load, which can be an operand.
inline size_t plain_sizes_now() {
  return load_plainly(reinterpret_cast<const size_t &>(plain_sizes));
}
// Whether a request is small, and not tiny, and no policy is enabled.
[[gnu::always_inline]] inline bool is_plain_request(size_t bytes) {
  return is_among(bytes, plain_sizes_now());
}
// The same where a policy is enabled that places nothing at sites like the one that `site()` is.
template <class Site>
[[gnu::always_inline]] inline bool is_plain_request_at(const LocalHeap &heap, size_t bytes,
                                                       Site site) {
  __asm__("" ::: "memory"); // else compilers read the site before is_plain_request()
  if (is_among(bytes, load_plainly(heap.site_limits.sizes[site() & 0xff]))) return true;
  __asm__("" ::: "memory"); // and keep it for later
  return false;
}

// A block of `bytes`, which are small, and not tiny, if the cursor has one; else null. Nothing that another thread has freed
// since the cursor was led there.
[[gnu::always_inline]] inline void *allocate_small(size_t bytes) {
  Cursor &cursor = current->sizes.cursor_for(bytes);
  if (void *block = SizeHeap::take_at(cursor)) [[likely]]
    return block;
  // `current` is loaded again: to keep it would cost size order an instruction.
  __asm__("" ::: "memory");
  return current->births.take_small(cursor.bytes);
}

// The same from the running thread's heap, whose address is at hand.
[[gnu::always_inline]] inline void *allocate_small_in(LocalHeap &heap, size_t bytes) {
  Cursor &cursor = heap.sizes.cursor_from_here(bytes);
  if (void *block = SizeHeap::take_at(cursor)) [[likely]]
    return block;
  return heap.births.take_small(cursor.bytes);
}

// A tiny block, if the cursor has one; else null.
[[gnu::always_inline]] inline void *allocate_tiny_in(LocalHeap &heap) {
  if (void *block = heap.sizes.take(kTinyClass)) [[likely]]
    return block;
  return heap.births.take_small(Granules::kBytes);
}

// What calloc clears of a small block: all that malloc_usable_size() says, as the C library's does, but for a tiny one of 16
// bytes, and for requests of more than 1008 bytes.
constexpr size_t cleared_bytes(size_t bytes) {
  return bytes <= kTinyMax ? kTinyMax : round_up(bytes, Granules::kBytes);
}

// For a plain request: the block, or null if the cursor has none.
struct PlainBlock {
  bool is_plain = false;
  void *memory = nullptr;
};
template <class Site>
[[gnu::always_inline]] inline PlainBlock allocate_if_plain(size_t bytes, Site site) {
  if (is_plain_request(bytes)) [[likely]]
    return {true, allocate_small(bytes)};
  LocalHeap &heap = *current;
  if (is_plain_request_at(heap, bytes, site)) return {true, allocate_small_in(heap, bytes)};
  if (bytes > kTinyMax) return {};
  const size_t plain = plain_sizes_now() | load_plainly(heap.site_limits.sizes[site() & 0xff]);
  return plain != 0 ? PlainBlock{true, allocate_tiny_in(heap)} : PlainBlock{};
}

// The same as allocate_small() for any size: null if it is not small.
[[gnu::always_inline]] inline void *allocate_if_small(size_t bytes) {
  if (is_among(bytes, kPlainSizes)) [[likely]]
    return allocate_small(bytes);
  return bytes <= kTinyMax ? allocate_tiny_in(*current) : nullptr;
}

// A block of more than 1 KiB and up to 32 KiB, if the cursor has one, or the one below it was freed; else null.
[[gnu::always_inline]] inline void *allocate_if_medium(size_t bytes) {
  if (bytes - (kSmallMax + 1) >= kMediumMax - kSmallMax) return nullptr;
  return current->sizes.take_medium(kClassesByLine[(bytes - 1) / kLineBytes]);
}

// Whether a block of so many bytes serves another request as it is. One that shrinks by less than half does: moving it would cost
// more than it saves.
inline bool stays(size_t usable, size_t bytes) { return bytes <= usable && bytes >= usable / 2; }
[[gnu::always_inline]] inline bool stays(LiveBlock block, size_t bytes) {
  return stays(block.page->block_bytes(), bytes);
}

// A block behind the cursor; else null.
inline void *allocate_next(size_t bytes) {
  LocalHeap *heap = current;
  if (bytes - 1 >= kMediumMax) return nullptr;
  if (heap->is_in_birth_order() && bytes <= kBirthOrderMax)
    return heap->births.take_next(granules_for(bytes));
  return heap->sizes.take_next(bytes);
}

// Takes back a block in a page; false if it is anything else, or looks wrong.
[[gnu::always_inline]] inline bool release(void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  if (Page *page = size_page_at(address)) [[likely]] {
    const LiveBlock block = live_block_in(*page, address);
    return block && free_block(block);
  }
  if (!page_segments.holds_birth_pages(address)) return false;
  const BirthBlock block = live_birth_block_in(address);
  return block && free_block(block);
}

// The same for blocks of any kind that lie in pages or have been placed, whatever is to be done for their pages.
template <class Block>
bool release_block(const Block &block) {
  if (!block) return false;
  // After release(), the count has shown that the page is due.
  if (is_due(block) || !free_block(block)) free_last(block);
  return true;
}
inline bool release_after_count(void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  switch (segment_map.kind_at(address)) {
  case SegmentKind::size_pages:
    return release_block(live_block_in(PageSegment::page_of(address), address));
  case SegmentKind::birth_pages: return release_block(live_birth_block_in(address));
  case SegmentKind::placed: return placed_blocks.release(address);
  default: return false;
  }
}

// Has what a live block holds at a place of `bytes`, and frees the block; the place.
inline void *move_to(void *place, LiveBlock block, void *memory, size_t bytes) {
  place = std::memcpy(place, memory, std::min<size_t>(block.page->block_bytes(), bytes));
  if (!free_block(block)) [[unlikely]]
    release_after_count(memory);
  return place;
}

} // namespace abut::heap
