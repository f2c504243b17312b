// Coalescing regions: blocks of any length side by side, with boundary tags.
#pragma once

#include "allocators/layers/areas.hpp"
#include "allocators/layers/chunk.hpp"
#include "os/os.hpp"

#include <algorithm>

namespace abut::layers {

// `Index` says which free chunk serves, and `kLeast` how many bytes the shortest chunk has that may be left over. With
// `kBump` a fresh region serves from its beginning on, and only when nothing that was freed does; with `kDiscard` whole pages
// inside what was freed go back to the kernel at once.
template <class Index, size_t kLeast, class Source, bool kBump = false, bool kDiscard = false>
class Regions {
  static_assert(ChunkIndex<Index, Chunk> && RegionSource<Source>);

public:
  explicit Regions(Grain grain, Source source = {}) : source_(source), grain_(grain) {}

  // The longest request that any region can serve.
  static constexpr size_t kMax = kAreaBytes / 2;

  void *allocate(size_t bytes, size_t align) {
    if (void *block = allocate_freed(bytes, align)) return block;
    const size_t needed = chunk_bytes(bytes, align);
    while (top_ == nullptr || top_->bytes() < needed + kShortest)
      if (!add_region(needed)) return nullptr;
    Chunk *chunk = top_;
    if constexpr (kBump) {
      top_ = rest_of(chunk, needed);
      top_->set_free();
    } else {
      top_ = nullptr;
      split(chunk, needed);
    }
    chunk->set_in_use();
    return chunk->aligned_block(align);
  }

  // Only from what was freed, without a fresh region.
  void *allocate_freed(size_t bytes, size_t align) {
    const size_t needed = chunk_bytes(bytes, align);
    Chunk *chunk = index_.take(needed);
    if (chunk == nullptr) return nullptr;
    split(chunk, needed);
    chunk->set_in_use();
    return chunk->aligned_block(align);
  }

  Release release(void *block) {
    Chunk *chunk = chunk_of(block);
    if (chunk == nullptr) return Release::not_a_block;
    if (!chunk->in_use() || !chunk->after()->before_in_use()) return Release::already_free;
    const Address begin = chunk->address();
    const Address end = chunk->end();
    chunk = coalesced(chunk);
    if (is_whole_region(chunk) && (!Source::kKeepsLast || regions_ > 1)) {
      if (chunk == top_) top_ = nullptr;
      --regions_;
      source_.give(reinterpret_cast<void *>(Source::begin_of(chunk)));
      return Release::done;
    }
    chunk->set_free();
    if (chunk != top_) index_.add(chunk);
    if constexpr (kDiscard) discard_inside(chunk, begin, end);
    return Release::done;
  }

  size_t usable(const void *block) const {
    Chunk *chunk = chunk_of(block);
    return chunk != nullptr ? chunk->end() - reinterpret_cast<Address>(block) : 0;
  }

  // Whether every block has this alignment.
  bool is_natural(size_t align) const { return align <= bytes_of(grain_); }

  // The bytes that the chunk of a block for `bytes` takes.
  size_t chunk_bytes(size_t bytes, size_t align = 0) const {
    if (!is_natural(align)) bytes += align;
    return std::max(round_up(bytes + Chunk::kHeaderBytes, bytes_of(grain_)), kShortest);
  }

private:
  static constexpr size_t kShortest = Index::kShortest;
  static constexpr size_t kEdge =
      8; // before a region's first chunk, so that blocks are at multiples of sixteen

  static Chunk *first_of(Address region) { return Chunk::at(region + kEdge); }

  static Chunk *chunk_of(const void *block) {
    const Address begin = Source::begin_of(block);
    if (begin == 0) return nullptr;
    const Address end = begin + Source::length_of(block) - Chunk::kHeaderBytes;
    return Chunk::find(block, begin + kEdge, end, kShortest);
  }

  bool add_region(size_t needed) {
    if (needed > kMax) return false;
    if (top_ != nullptr) index_.add(top_);
    void *memory = source_.take(needed + kShortest + kEdge + Chunk::kHeaderBytes);
    top_ = nullptr;
    if (memory == nullptr) return false;
    ++regions_;
    const size_t length = Source::length_of(memory);
    Chunk *chunk = first_of(reinterpret_cast<Address>(memory));
    Chunk::at(chunk->address() + length - kEdge - Chunk::kHeaderBytes)
        ->make(0); // nothing is ever after it
    chunk->make(length - kEdge - Chunk::kHeaderBytes);
    chunk->set_free();
    top_ = chunk;
    return true;
  }

  static bool is_whole_region(Chunk *chunk) {
    return chunk->address() == Source::begin_of(chunk) + kEdge && chunk->after()->bytes() == 0;
  }

  // Cuts `chunk` off at `bytes`; what follows is a chunk that is neither free nor in an index yet.
  static Chunk *rest_of(Chunk *chunk, size_t bytes) {
    Chunk *rest = Chunk::at(chunk->address() + bytes);
    rest->make(chunk->bytes() - bytes);
    chunk->set_bytes(bytes);
    return rest;
  }

  void split(Chunk *chunk, size_t bytes) {
    if (chunk->bytes() < bytes + std::max(kLeast, kShortest)) return;
    Chunk *rest = rest_of(chunk, bytes);
    rest->set_free();
    index_.add(rest);
  }

  Chunk *coalesced(Chunk *chunk) {
    size_t bytes = chunk->bytes();
    Chunk *after = chunk->after();
    bool is_top = false;
    if (!after->in_use()) {
      bytes += after->bytes();
      is_top = after == top_;
      if (!is_top) index_.remove(after);
    }
    if (!chunk->before_in_use()) {
      chunk = chunk->before();
      bytes += chunk->bytes();
      if (chunk == top_)
        is_top = true;
      else
        index_.remove(chunk);
    }
    chunk->set_bytes(bytes);
    if (is_top) top_ = chunk;
    return chunk;
  }

  // Gives back the whole pages of `chunk` that were not free before [begin, end) was, but for what the index wrote.
  static void discard_inside(Chunk *chunk, Address begin, Address end) {
    const Address from = std::max(chunk->address() + kShortest, round_down(begin, kPageBytes));
    const Address to =
        std::min(chunk->end() - sizeof(size_t), round_up(end + kShortest, kPageBytes));
    const Address first = round_up(from, kPageBytes);
    const Address last = round_down(to, kPageBytes);
    // Nobody relies on what these pages hold.
    if (first < last) static_cast<void>(os::discard(reinterpret_cast<void *>(first), last - first));
  }

  Index index_;
  Source source_;
  Chunk *top_ = nullptr; // free and in no index
  size_t regions_ = 0;
  Grain grain_;
};

} // namespace abut::layers
