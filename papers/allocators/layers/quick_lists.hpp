// Quick lists: short blocks that were freed wait, one list a length, and serve the next request of their length.
//
// To the heap below they stay in use, so that they are not coalesced. That happens when a medium request comes, and
// before the heap grows (Lea's allocator, Vam's section 2.1).
#pragma once

#include "allocators/layers/chunk.hpp"

namespace abut::layers {

// For requests below kQuick bytes; those from there up to kMedium empty the lists.
template <Heap Below, size_t kQuick, size_t kMedium>
class QuickLists {
public:
  explicit QuickLists(Grain grain) : below_(grain) {}

  void *allocate(size_t bytes, size_t align) {
    if (bytes < kQuick && below_.is_natural(align)) {
      if (void *block = pop(lists_[list_of(below_.chunk_bytes(bytes))])) return block;
    } else if (bytes <= kMedium) {
      empty_lists();
    }
    if (void *block = below_.allocate_freed(bytes, align)) return block;
    if (!waiting_) return below_.allocate(bytes, align);
    empty_lists();
    return below_.allocate(bytes, align);
  }

  Release release(void *block) {
    const size_t bytes = below_.usable(block);
    if (bytes == 0) return Release::not_a_block;
    const size_t chunk = bytes + Chunk::kHeaderBytes;
    if (chunk > kLongest || Chunk::of(block)->shift() != 0) return below_.release(block);
    if (!Chunk::of(block)->in_use()) return Release::already_free;
    void *&list = lists_[list_of(chunk)];
    if (list == block) return Release::already_free;
    *static_cast<void **>(block) = list;
    list = block;
    waiting_ = true;
    return Release::done;
  }

  size_t usable(const void *block) const { return below_.usable(block); }

  void empty_lists() {
    if (!waiting_) return;
    waiting_ = false;
    for (void *&list : lists_)
      while (void *block = pop(list)) below_.release(block);
  }

private:
  static constexpr size_t kLongest = round_up(kQuick - 1 + Chunk::kHeaderBytes, 16);
  static size_t list_of(size_t chunk) { return chunk / 8; }

  static void *pop(void *&list) {
    void *block = list;
    if (block != nullptr) list = *static_cast<void **>(block);
    return block;
  }

  Below below_;
  void *lists_[kLongest / 8 + 1] = {};
  bool waiting_ = false;
};

} // namespace abut::layers
