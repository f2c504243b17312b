// Size-segregated free lists: memory is carved into blocks of a class once, and they stay of that class for ever
// (simple segregated storage: Rezaei and Kavi, section 2.1; Kingsley's allocator).
#pragma once

#include "allocators/layers/chunk.hpp"
#include "allocators/layers/orders.hpp"
#include "allocators/layers/page_manager.hpp"

namespace abut::layers {

// Each block has a header of one grain, whose last word says how long the block is.
template <SizeClasses Classes>
class CarvedLists {

public:
  explicit CarvedLists(Grain grain) : header_(bytes_of(grain)) {}

  void *allocate(size_t bytes, size_t align) {
    if (align > header_) bytes += align;
    const unsigned size_class = Classes::index(bytes + header_);
    if (lists_[size_class] == nullptr && !carve(size_class)) return nullptr;
    void *cell = lists_[size_class];
    lists_[size_class] = *static_cast<void **>(cell);
    Chunk *chunk = Chunk::of(static_cast<char *>(cell) + header_);
    chunk->make(Classes::size(size_class));
    return chunk->aligned_block(align);
  }

  Release release(void *block) {
    const size_t bytes = usable(block);
    if (bytes == 0) return Release::not_a_block;
    const Chunk *chunk = Chunk::of(unshifted(block));
    const unsigned size_class = Classes::index(chunk->bytes());
    void *cell = reinterpret_cast<void *>(chunk->address() + Chunk::kHeaderBytes - header_);
    Chunk::of(unshifted(block))->set_bytes(0);
    *static_cast<void **>(cell) = lists_[size_class];
    lists_[size_class] = cell;
    return Release::done;
  }

  size_t usable(const void *block) const {
    if (reinterpret_cast<Address>(block) % header_ != 0) return 0;
    const void *begin = unshifted(block);
    const Chunk *chunk = Chunk::of(begin);
    const size_t bytes = chunk->bytes();
    if (!chunk->in_use() || bytes > Classes::kMax || bytes < Classes::size(0) ||
        Classes::size(Classes::index(bytes)) != bytes)
      return 0;
    return reinterpret_cast<Address>(begin) + bytes - header_ - reinterpret_cast<Address>(block);
  }

private:
  static const void *unshifted(const void *block) {
    return static_cast<const char *>(block) - Chunk::of(block)->shift();
  }

  bool carve(unsigned size_class) {
    const size_t each = Classes::size(size_class);
    const auto *run = pages_.take(Pages::holding(each));
    if (run == nullptr) return false;
    for (size_t at = run->run.bytes(); at >= each; at -= each) {
      void *cell = reinterpret_cast<void *>(run->memory() + at - each);
      *static_cast<void **>(cell) = lists_[size_class];
      lists_[size_class] = cell;
    }
    return true;
  }

  PageManager<NoData, RunsByLength> pages_{AreaKind::chunks};
  void *lists_[Classes::kCount] = {};
  size_t header_;
};

} // namespace abut::layers
