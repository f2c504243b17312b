#include "heap/heap.hpp"

#include "base/options.hpp"
#include "heap/events.hpp"
#include "heap/found.hpp"
#include "heap/huge_blocks.hpp"
#include "heap/huge_cache.hpp"
#include "heap/large_blocks.hpp"
#include "heap/page_store.hpp"
#include "heap/placed_blocks.hpp"
#include "os/one_thread.hpp"

#include <algorithm>
#include <cstring>

namespace abut::heap {

constinit PlacedBlocks placed_blocks;
constinit Events events;

namespace {

void *allocate_large_here(size_t bytes, size_t align, bool &clean) {
  CurrentHeap heap;
  if (!heap) return allocate_large(bytes, align, clean);
  std::lock_guard guard(heap->lock());
  return allocate_large(bytes, align, clean, &heap->rows);
}

// The heaps' slow paths look at the clock; programs that only use large blocks do it here.
void release_large(LargeBlock block) {
  if (!has_heap()) return free_large(block);
  const uint64_t now = os::coarse_milliseconds();
  std::lock_guard guard(current->lock());
  free_large(block, current->rows, now);
  current->decay(now);
}

void release_huge(HugeInfo *block) {
  free_huge(block);
  decay_shared(os::coarse_milliseconds());
}

void *allocate_shared(size_t bytes, size_t align, bool &clean) {
  if (bytes <= kLargeMax && align <= kLargeMax / 2)
    if (void *memory = allocate_large_here(bytes, align, clean)) return memory;
  // Where no segment can be had, as under a limit on addresses, a mapping of its own may still be.
  return allocate_huge(bytes, align, clean);
}

// Gives back all that is free and that this thread can reach.
void give_back_all() {
  if (has_heap()) current->close();
  heap_registry.each([](LocalHeap &heap) { heap.trim(); });
  trim_pages();
  huge_cache.give_back(~uint64_t{0});
}

// What `attempt` allocates. Before it fails for good, all that is free goes back to the kernel, so that what was freed
// in one size serves every other one.
template <class Attempt>
void *allocate_with_retry(size_t bytes, Attempt attempt) {
  void *memory = attempt();
  if (memory != nullptr || bytes > segment_map.mapped_bytes()) return memory;
  give_back_all();
  unmap_hidden_segments();
  return attempt();
}

void *allocate_own(size_t bytes) {
  return allocate_with_retry(bytes, [=]() -> void * {
    CurrentHeap heap;
    return heap ? heap->allocate(std::max<size_t>(bytes, 1)) : nullptr;
  });
}

void *allocate_shared_with_retry(size_t bytes, size_t align, bool &clean) {
  return allocate_with_retry(bytes, [&] { return allocate_shared(bytes, align, clean); });
}

// A medium block from the cursor, or whatever the thread does not have at hand.
[[gnu::noinline]] void *allocate_otherwise(size_t bytes) {
  if (bytes > kSmallMax && bytes <= kMediumMax)
    if (void *memory = current->sizes.take(size_class(bytes))) return memory;
  if (void *memory = allocate_next(bytes)) return memory;
  return allocate_slow(bytes);
}

} // namespace

void *allocate(size_t bytes) {
  void *memory = allocate_if_small(bytes);
  return memory != nullptr ? memory : allocate_otherwise(bytes);
}

void *allocate_slow(size_t bytes) {
  if (bytes <= kMediumMax) return allocate_own(bytes);
  bool clean = false;
  return bytes > kRequestMax ? nullptr : allocate_shared_with_retry(bytes, 1, clean);
}

// Of as much as a mapping of its own holds, programs often touch little.
void clear(void *memory, size_t bytes) {
  if (bytes <= kLargeMax) {
    std::memset(memory, 0, bytes);
    return;
  }
  const auto begin = reinterpret_cast<Address>(memory), end = begin + bytes;
  const Address first = round_up(begin, kPageBytes), last = round_down(end, kPageBytes);
  std::memset(memory, 0, first - begin);
  os::clear_sparse_pages(reinterpret_cast<void *>(first), last - first);
  std::memset(reinterpret_cast<void *>(last), 0, end - last);
}

void *allocate_zeroed(size_t bytes) {
  void *memory = nullptr;
  bool clean = false;
  if (bytes <= kSmallMax) { // to ask whether it was used would take longer than to clear it
    memory = allocate(bytes);
    return memory != nullptr ? std::memset(memory, 0, cleared_bytes(bytes)) : nullptr;
  }
  if (bytes <= kMediumMax) { // from the cursor, which knows whether its blocks were used
    memory = allocate(bytes);
    if (const LiveBlock block = live_block_anywhere(memory))
      clean = block.page->owner == current && current->sizes.reads_as_zero(block.page->size_class);
  } else if (bytes <= kRequestMax) {
    memory = allocate_shared_with_retry(bytes, 1, clean);
  }
  if (memory != nullptr && !clean) clear(memory, bytes);
  return memory;
}

void *allocate_aligned(size_t align, size_t bytes) {
  if (align <= Granules::kBytes)
    return allocate(align <= kTinyMax ? bytes : std::max(bytes, align));
  // Each block of a size page is aligned to what its size is a multiple of. The last small size is a line longer than requests.
  const size_t whole =
      round_up(std::max<size_t>(bytes, 1), align); // zero where that is out of range
  if (whole < kSmallMax)
    if (void *memory = current->sizes.take_small(whole)) return memory;
  if (bytes > kRequestMax || align > kRequestMax) return nullptr;
  bytes = std::max(bytes, Granules::kBytes);
  if (bytes <= kMediumMax && align <= kMediumMax)
    return allocate_with_retry(bytes, [one = aligned_class(align, bytes)]() -> void * {
      CurrentHeap heap;
      return heap ? heap->allocate_by_size(one) : nullptr;
    });
  bool clean = false;
  return allocate_shared_with_retry(bytes, align, clean);
}

void free_last(LiveBlock block) { block.page->owner->free_last(block); }
void free_last(BirthBlock block) { block.page->owner->free_last(block); }

Release release_slow(const char *call, void *memory) {
  const Found found = find_block(call, memory);
  switch (found.where) {
  case Where::foreign: return Release::foreign;
  case Where::sized:
  case Where::born:
  case Where::placed: release_after_count(memory); break;
  case Where::large: release_large(found.large); break;
  case Where::huge: release_huge(found.huge); break;
  }
  return Release::done;
}

size_t usable_size(const char *call, void *memory) { return find_block(call, memory).usable; }

namespace {

// What a block that moves because it grows is to hold. One of medium size that grows by little is likely to do so again: it gets a
// quarter more than it had. Else it would be copied at each size on its way, and leave a block behind in every class.
size_t grown_bytes(size_t usable, size_t bytes) {
  if (usable <= kSmallMax || bytes <= usable || bytes > kMediumMax) return bytes;
  return std::max(bytes, std::min(usable + usable / 4, kMediumMax));
}

Resized move_block(const char *call, void *memory, size_t usable, size_t bytes) {
  const size_t grown = grown_bytes(usable, bytes);
  void *moved = allocate(grown);
  if (moved == nullptr && grown != bytes) moved = allocate(bytes);
  if (moved == nullptr) return {};
  std::memcpy(moved, memory, std::min(usable, bytes));
  if (!release(memory)) release_slow(call, memory);
  return {moved};
}

bool resize_in_place(const Found &found, void *memory, size_t bytes) {
  if (found.where == Where::large)
    return bytes > kMediumMax && bytes <= kLargeMax && resize_large(found.large, bytes);
  LocalHeap *heap = found.owner();
  if (found.where != Where::born || heap == nullptr || heap != current) return false;
  return bytes <= kBirthMax &&
         heap->births.resize(found.born, reinterpret_cast<Address>(memory), granules_for(bytes));
}

// Whether a block serves as it is. Where it can be made shorter in place, that is done for less.
bool fits(const Found &found, size_t bytes) {
  const bool is_shortened = found.where == Where::huge    ? bytes > kLargeMax
                            : found.where == Where::large ? bytes > kMediumMax
                                                          : false;
  if (!is_shortened) return stays(found.usable, bytes);
  return bytes <= found.usable && bytes >= found.usable - found.usable / 8;
}

Resized resize_any(const char *call, void *memory, size_t bytes) {
  const Found found = find_block(call, memory);
  if (found.where == Where::foreign) return {nullptr, true};
  const size_t usable = found.usable;
  if (fits(found, bytes)) return {memory};
  if (bytes > kRequestMax) return {};
  if (found.where == Where::placed && bytes <= usable) return {memory}; // kept for it to grow in
  if (found.where == Where::huge && bytes > kLargeMax)
    if (void *resized = resize_huge(found.huge, bytes)) return {resized};
  if (resize_in_place(found, memory, bytes)) return {memory};
  const Resized moved = move_block(call, memory, usable, bytes);
  // A block that cannot be made shorter holds what is asked for all the same.
  return moved.memory == nullptr && bytes <= usable ? Resized{memory} : moved;
}

} // namespace

void *move_to_small(LiveBlock block, void *memory, size_t bytes) {
  if (void *place = allocate(bytes)) return move_to(place, block, memory, bytes);
  return bytes <= block.page->block_bytes() ? memory : nullptr;
}

Resized resize(const char *call, void *memory, size_t bytes) {
  const LiveBlock block = live_block(memory);
  if (!block || bytes > kSmallMax) return resize_any(call, memory, bytes);
  return {stays(block, bytes) ? memory : move_to_small(block, memory, bytes)};
}

void follow_options() {
  if (current->number() != 0) current->set_order(option_value(Option::order) != 0);
  advise_pages_again();
}

size_t trim() {
  const size_t before = os::resident_bytes();
  give_back_all();
  const size_t after = os::resident_bytes();
  return before > after ? before - after : 0;
}

LocalHeap *owner_of(const void *memory) {
  if (const LiveBlock block = live_block_anywhere(memory)) return block.page->owner;
  if (const BirthBlock block = live_birth_block(memory)) return block.page->owner;
  return nullptr;
}

Extent extent_of(const LocalHeap *keeper, Address address) {
  const Page *page = page_at(address);
  const LocalHeap *owner = page != nullptr ? load_plainly(page->owner) : nullptr;
  if (owner == nullptr || owner->keeper != keeper) return {};
  if (page->size_class == 0) {
    const Range block = birth_range_at(*page, address);
    if (!block || !is_live(load_plainly(cells_of(*page)[block.first]))) return {};
    return {granule_address(*page, block.first), granule_address(*page, block.end())};
  }
  const uint32_t block = block_at(*page, address);
  const Address begin = block_address(*page, block);
  if (load_plainly(page->states[block]) != kLive) return {};
  return {begin, begin + page->block_bytes()};
}

// A process of one thread has no other holder of a lock, except that very thread when a signal handler
// forks: then nothing may be waited for.
void before_fork() {
  if (!os::has_one_thread()) heap_registry.lock_all();
}

void after_fork_in_parent() {
  if (os::holds_every_lock) heap_registry.unlock_all();
}

void after_fork_in_child() {
  if (!os::holds_every_lock) return;
  heap_registry.unlock_all();
  heap_registry.orphan_all_but(current);
}

} // namespace abut::heap
