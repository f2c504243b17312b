// Indices of free chunks that are tables of lists, with one bit for each list that tells whether it has a chunk.
#pragma once

#include "allocators/layers/chunk.hpp"
#include "base/bits.hpp"

#include <bit>

namespace abut::layers {

// Doubly linked lists through free chunks, and which of them are not empty.
template <uint32_t N>
class ChunkLists {
  static_assert(N % 64 == 0);

public:
  static constexpr uint32_t kNone = N;

  FreeChunk *front(uint32_t list) const { return first_[list]; }

  void push_front(uint32_t list, FreeChunk *chunk) { insert(list, chunk, nullptr); }

  // Behind `before`, which is on the list, or first where that is null.
  void insert(uint32_t list, FreeChunk *chunk, FreeChunk *before) {
    FreeChunk *&place = before != nullptr ? before->next : first_[list];
    chunk->next = place;
    chunk->previous = before;
    if (place != nullptr) place->previous = chunk;
    place = chunk;
    occupied_[list / 64] |= uint64_t{1} << list % 64;
  }

  void remove(uint32_t list, FreeChunk *chunk) {
    (chunk->previous != nullptr ? chunk->previous->next : first_[list]) = chunk->next;
    if (chunk->next != nullptr) chunk->next->previous = chunk->previous;
    if (first_[list] == nullptr) occupied_[list / 64] &= ~(uint64_t{1} << list % 64);
  }

  // The first list from `list` on that has a chunk; kNone where none has.
  uint32_t next_occupied(uint32_t list) const { return next_bit(occupied_, N, list); }

private:
  FreeChunk *first_[N] = {};
  uint64_t occupied_[N / 64] = {};
};

// The shortest chunk that holds its place in a list and its length at its end.
inline constexpr size_t kShortestListed = sizeof(FreeChunk) + sizeof(size_t);

// Best fit: a list for every length up to Max, eight bytes apart, so that no list is ever searched (Vam, section 3.1).
// The paper searches the table one entry after another and says that an index to it would be better: here, the bits.
template <size_t Max>
class BestFitTable {
  static constexpr uint32_t kLists = (Max / 8 + 64) / 64 * 64;

public:
  static constexpr size_t kShortest = kShortestListed;

  Chunk *take(size_t bytes) {
    const uint32_t list = lists_.next_occupied(list_of(bytes));
    if (list == lists_.kNone) return nullptr;
    FreeChunk *chunk = lists_.front(list);
    lists_.remove(list, chunk);
    return &chunk->chunk;
  }
  void add(Chunk *chunk) { lists_.push_front(list_of(chunk->bytes()), FreeChunk::of(chunk)); }
  void remove(Chunk *chunk) { lists_.remove(list_of(chunk->bytes()), FreeChunk::of(chunk)); }

private:
  static uint32_t list_of(size_t bytes) { return static_cast<uint32_t>(bytes / 8); }

  ChunkLists<kLists> lists_;
};

// Approximate best fit: exact lists below kSmall bytes; above, lists of ranges that grow with their lengths, each
// sorted, so that the first chunk that suffices is the one that fits best (Lea's allocator, Vam's section 2.1).
class LogBins {
public:
  static constexpr size_t kShortest = kShortestListed;

  Chunk *take(size_t bytes) {
    for (uint32_t bin = bins_.next_occupied(bin_of(bytes)); bin != bins_.kNone;
         bin = bins_.next_occupied(bin + 1))
      for (FreeChunk *chunk = bins_.front(bin); chunk; chunk = chunk->next)
        if (chunk->chunk.bytes() >= bytes) {
          bins_.remove(bin, chunk);
          return &chunk->chunk;
        }
    return nullptr;
  }

  void add(Chunk *chunk) {
    const size_t bytes = chunk->bytes();
    const uint32_t bin = bin_of(bytes);
    FreeChunk *before = nullptr;
    if (bytes >= kSmall)
      for (FreeChunk *other = bins_.front(bin); other && other->chunk.bytes() < bytes;
           other = other->next)
        before = other;
    bins_.insert(bin, FreeChunk::of(chunk), before);
  }

  void remove(Chunk *chunk) { bins_.remove(bin_of(chunk->bytes()), FreeChunk::of(chunk)); }

private:
  static constexpr size_t kSmall = 512;
  static constexpr unsigned kRanges = 8; // between one power of two and the next

  static uint32_t bin_of(size_t bytes) {
    if (bytes < kSmall) return static_cast<uint32_t>(bytes / 8);
    const auto power = static_cast<uint32_t>(std::bit_width(bytes) - 1);
    const auto range = static_cast<uint32_t>(bytes >> (power - 3)) % kRanges;
    return kSmall / 8 + (power - 9) * kRanges + range;
  }

  ChunkLists<kSmall / 8 + 192> bins_;
};

// None, whatever is free.
class NoChunks {
public:
  static constexpr size_t kShortest = kShortestListed;
  Chunk *take(size_t) { return nullptr; }
  void add(Chunk *) {}
  void remove(Chunk *) {}
};

static_assert(ChunkIndex<BestFitTable<4096>, Chunk> && ChunkIndex<LogBins, Chunk>);

} // namespace abut::layers
