// A stack of chunks: a block that is freed is used again only when all after it are free, too.
#pragma once

#include "allocators/layers/areas.hpp"
#include "allocators/layers/chunk.hpp"

#include <algorithm>

namespace abut::layers {

// Area after area; each begins with the top of the one before. The top is a chunk without length, which knows whether
// the chunk before it is in use.
class StackChunks {
public:
  static constexpr size_t kMax = kAreaBytes / 2;

  explicit StackChunks(Grain grain) : grain_(grain) {}

  void *allocate(size_t bytes, size_t align) {
    const bool is_natural = align <= bytes_of(grain_);
    const size_t needed = std::max(
        round_up(bytes + Chunk::kHeaderBytes + (is_natural ? 0 : align), bytes_of(grain_)), kLeast);
    if (needed > kMax || (!fits(needed) && !add_area())) return nullptr;
    Chunk *chunk = top_;
    chunk->set_bytes(needed);
    top_ = chunk->after();
    top_->make(0);
    chunk->set_in_use();
    return chunk->aligned_block(align);
  }

  Release release(void *block) {
    Chunk *chunk = chunk_of(block);
    if (chunk == nullptr) return Release::not_a_block;
    if (!chunk->in_use()) return Release::already_free;
    chunk->set_free();
    while (!top_->before_in_use()) {
      top_ = top_->before();
      top_->set_bytes(0);
      if (is_first(top_)) drop_area();
    }
    return Release::done;
  }

  size_t usable(const void *block) const {
    Chunk *chunk = chunk_of(block);
    return chunk != nullptr ? chunk->end() - reinterpret_cast<Address>(block) : 0;
  }

private:
  static constexpr size_t kLeast = 32;
  static constexpr size_t kEdge = 24; // so that blocks are at multiples of sixteen

  static Chunk *&below(Address area) { return *reinterpret_cast<Chunk **>(area); }
  static bool is_first(Chunk *chunk) { return chunk->address() == area_of(chunk) + kEdge; }

  bool fits(size_t bytes) const {
    return top_ != nullptr &&
           top_->address() + bytes + Chunk::kHeaderBytes <= area_of(top_) + kAreaBytes;
  }
  bool add_area() {
    void *memory = map_area(AreaKind::chunks);
    if (memory == nullptr) return false;
    const auto area = reinterpret_cast<Address>(memory);
    below(area) = top_;
    top_ = Chunk::at(area + kEdge);
    top_->make(0);
    return true;
  }
  // An area that is empty goes, but for the first one.
  void drop_area() {
    const Address area = area_of(top_);
    if (below(area) == nullptr) return;
    top_ = below(area);
    unmap_area(reinterpret_cast<void *>(area));
  }

  static Chunk *chunk_of(const void *block) {
    const Address area = area_of(block);
    return Chunk::find(block, area + kEdge, area + kAreaBytes, kLeast);
  }

  Chunk *top_ = nullptr;
  Grain grain_;
};

static_assert(Heap<StackChunks>);

} // namespace abut::layers
