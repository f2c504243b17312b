#include "heap/heap.hpp"

#include "heap/found.hpp"
#include "heap/huge_cache.hpp"
#include "heap/large_blocks.hpp"
#include "heap/placed_blocks.hpp"
#include "os/message.hpp"

#include <algorithm>
#include <cstring>

namespace abut::heap {

constinit PlacedBlocks placed_blocks;

namespace {

void release_own(const char *call, LocalHeap &heap, const Found &found, Block *block) {
  heap.check_live(call, block);
  switch (found.where) {
  case Where::small:
    if (!heap.small.push(block, found.size)) heap.spill_small(found.size);
    break;
  case Where::medium: heap.free_medium(block, found.size); break;
  default: break;
  }
}

// The heaps' slow paths look at the clock; programs that only use large blocks do it here.
void release_shared(const Found &found) {
  if (found.where == Where::large)
    free_large(found.large);
  else
    free_huge(found.huge);
  decay_shared(os::coarse_milliseconds());
}

void *allocate_shared(size_t bytes, size_t align, bool &clean) {
  if (bytes <= kLargeMax && align <= kLargeMax / 2) return allocate_large(bytes, align, clean);
  return allocate_huge(bytes, align, clean);
}

// Sends a block to its owner; false if another thread has freed it at this moment.
bool send(LocalHeap *owner, Block *block) {
  if (SizePage *page = size_page_at(block))
    if (page->exchange_state(reinterpret_cast<Address>(block), BlockState::returning) !=
        BlockState::live)
      return false;
  owner->receive(block, current->number());
  return true;
}

// Takes back a block of another heap than `heap`, be it another thread's or one of its side heaps; false if it is anything
// else, or looks wrong.
bool release_elsewhere(const LocalHeap *heap, Block *block) {
  LocalHeap *owner = owner_of(block);
  if (owner == nullptr) return false;
  if (owner->keeper != heap) return send(owner, block);
  const auto address = reinterpret_cast<Address>(block);
  Segment *segment = Segment::of(address);
  const SmallMap &map = segment->line_at(address);
  const uint32_t at = granule_in_page(address);
  if (segment->tag_at(address) != owner->small.tag() || !map.short_begins_at(at) ||
      owner->small.looks_free(block))
    return false;
  const uint32_t size = map.short_length_at(at);
  if (!owner->small.push(block, size)) owner->spill_small(size);
  owner->keeper->count_free();
  return true;
}

bool resize_in_place(const Found &found, void *memory, size_t bytes) {
  const auto address = reinterpret_cast<Address>(memory);
  switch (found.where) {
  case Where::medium:
    return found.owner != nullptr && found.owner == current && bytes > kSmallMax &&
           bytes <= kMediumMax &&
           found.owner->resize_medium(address, MediumHeap::granules_for(bytes));
  case Where::large:
    return bytes > kMediumMax && bytes <= kLargeMax && resize_large(found.large, bytes);
  default: return false;
  }
}

} // namespace

void *allocate(size_t bytes) {
  if (void *memory = allocate_fast(bytes)) return memory;
  if (void *memory = allocate_waiting(bytes)) return memory;
  return allocate_slow(bytes);
}

namespace {

// Gives back all that is free and that this thread can reach.
void give_back_all() {
  if (current != &no_heap_yet && current != &no_heap_any_more) current->close();
  heap_registry.each([](LocalHeap &heap) { heap.trim(); });
  page_runs.trim();
  size_page_store.trim();
  huge_cache.give_back(~uint64_t{0});
}

// What `attempt` allocates. Before it fails for good, all that is free goes back to the kernel, so that what was freed
// in one size serves every other one.
template <class Attempt>
void *allocate_with_retry(size_t bytes, Attempt attempt) {
  void *memory = attempt();
  if (memory != nullptr || bytes > segment_map.mapped_bytes()) return memory;
  give_back_all();
  return attempt();
}

void *allocate_own(size_t bytes) {
  CurrentHeap heap;
  if (!heap) return nullptr;
  return bytes <= kSmallMax ? heap->allocate_small(SmallHeap::class_of(std::max<size_t>(bytes, 1)))
                            : heap->allocate_medium(bytes, 1);
}

void *allocate_own_aligned(size_t align, size_t bytes) {
  CurrentHeap heap;
  if (!heap) return nullptr;
  // Blocks of a size that is a multiple of a line, or half of one, lie at multiples of that.
  const size_t whole = round_up(bytes, align);
  if (heap->sizes.has_pages() && whole <= kSmallMax && align <= kLineBytes)
    return heap->allocate_small_by_size(SmallHeap::class_of(whole));
  if (bytes <= kSmallMax && align <= kLineBytes)
    return heap->allocate_small_aligned(SmallHeap::class_of(bytes), align);
  return heap->allocate_medium(bytes, align);
}

void *allocate_shared_with_retry(size_t bytes, size_t align, bool &clean) {
  return allocate_with_retry(bytes, [&] { return allocate_shared(bytes, align, clean); });
}

} // namespace

void *allocate_slow(size_t bytes) {
  if (bytes <= kMediumMax) return allocate_with_retry(bytes, [=] { return allocate_own(bytes); });
  bool clean = false;
  return bytes > kRequestMax ? nullptr : allocate_shared_with_retry(bytes, 1, clean);
}

void *allocate_zeroed(size_t bytes) {
  void *memory = nullptr;
  bool clean = false;
  if (bytes <= kMediumMax)
    memory = allocate(bytes);
  else if (bytes <= kRequestMax)
    memory = allocate_shared_with_retry(bytes, 1, clean);
  if (memory != nullptr && !clean) std::memset(memory, 0, bytes);
  return memory;
}

void *allocate_aligned(size_t align, size_t bytes) {
  if (align <= Granules::kBytes) return allocate(bytes);
  if (bytes > kRequestMax || align > kRequestMax) return nullptr;
  bytes = std::max(bytes, Granules::kBytes);
  if (bytes <= kMediumMax && align <= kPageBytes)
    return allocate_with_retry(bytes, [=] { return allocate_own_aligned(align, bytes); });
  bool clean = false;
  return allocate_shared_with_retry(bytes, align, clean);
}

Release release_slow(const char *call, void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  if (segment_map.kind_at(address) == SegmentKind::placed) {
    if (!placed_blocks.release(address)) os::fail(call, memory, kNotABlock);
    return Release::done;
  }
  if (release_elsewhere(current, static_cast<Block *>(memory))) return Release::done;
  const Found found = find_block(call, memory);
  if (found.where == Where::foreign) return Release::foreign;
  if (found.where == Where::large || found.where == Where::huge) {
    release_shared(found);
    return Release::done;
  }
  release_own(call, *found.owner, found, static_cast<Block *>(memory));
  return Release::done;
}

size_t usable_size(const char *call, void *memory) {
  return usable_bytes(find_block(call, memory));
}

namespace {

// A block that shrinks by less than half stays: moving it would cost more than it saves.
bool stays(size_t usable, size_t bytes) { return bytes <= usable && bytes >= usable / 2; }

Resized move_block(const char *call, void *memory, size_t usable, size_t bytes) {
  void *moved = allocate(bytes);
  if (moved == nullptr) return {};
  std::memcpy(moved, memory, std::min(usable, bytes));
  if (!release(memory)) release_slow(call, memory);
  return {moved};
}

Resized resize_any(const char *call, void *memory, size_t bytes) {
  const Found found = find_block(call, memory);
  if (found.where == Where::foreign) return {nullptr, true};
  if (found.owner != nullptr && found.owner->keeper == current)
    found.owner->check_live(call, static_cast<Block *>(memory));
  const size_t usable = usable_bytes(found);
  if (stays(usable, bytes)) return {memory};
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

// From small to small is what interpreters ask for all the time.
Resized resize(const char *call, void *memory, size_t bytes) {
  if (const SizePage *page = own_size_page(current, memory); page != nullptr && bytes != 0) {
    if (stays(page->block_bytes, bytes)) return {memory};
    return bytes <= kSmallMax ? move_block(call, memory, page->block_bytes, bytes)
                              : resize_any(call, memory, bytes);
  }
  const uint32_t size = own_small_size(current, memory);
  if (size == 0 || bytes - 1 >= kSmallMax) return resize_any(call, memory, bytes);
  const size_t usable = Granules{size}.bytes();
  if (stays(usable, bytes)) return {memory};
  const auto address = reinterpret_cast<Address>(memory);
  if (current->small.extend_latest(address, size, SmallHeap::class_of(bytes))) return {memory};
  return move_block(call, memory, usable, bytes);
}

size_t trim() {
  const size_t before = os::resident_bytes();
  give_back_all();
  const size_t after = os::resident_bytes();
  return before > after ? before - after : 0;
}

// A process of one thread has nobody who could hold a lock, except that very thread when a signal handler
// forks: then nothing may be waited for.
void before_fork() {
  if (!os::single_threaded()) heap_registry.lock_all();
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
