// Boundary tags: a word before each chunk, and another at the end of one that is free.
//
// The word holds the chunk's length, itself included, and says whether the chunk and the one before it are in use. A
// free chunk repeats its length in its last word, where the chunk after it finds it: both neighbours are found from
// the chunk alone (Knuth's method; Lea's allocator, Vam's large objects).
#pragma once

#include "allocators/layers/concepts.hpp"

namespace abut::layers {

class Chunk {
public:
  static constexpr size_t kHeaderBytes = 8;

  static Chunk *of(const void *block) {
    return reinterpret_cast<Chunk *>(reinterpret_cast<Address>(block) - kHeaderBytes);
  }
  static Chunk *at(Address address) { return reinterpret_cast<Chunk *>(address); }

  void *block() { return this + 1; }
  Address address() const { return reinterpret_cast<Address>(this); }
  Address end() const { return address() + bytes(); }
  size_t bytes() const { return word_ & ~kFlags; }
  bool in_use() const { return (word_ & kInUse) != 0; }
  bool before_in_use() const { return (word_ & kBeforeInUse) != 0; }
  Chunk *after() { return at(end()); }
  // Only where the chunk before is free.
  Chunk *before() { return at(address() - this[-1].word_); }

  // A chunk of `bytes`, in use, whose neighbour before it is in use, too.
  void make(size_t bytes) { word_ = bytes | kInUse | kBeforeInUse; }
  void set_bytes(size_t bytes) { word_ = bytes | (word_ & kFlags); }
  void set_in_use() {
    word_ |= kInUse;
    after()->word_ |= kBeforeInUse;
  }
  void set_free() {
    word_ &= ~kInUse;
    after()->word_ &= ~kBeforeInUse;
    after()[-1].word_ = bytes();
  }

  // The mark before a block that was moved up inside its chunk for the sake of its alignment.
  static void mark_shift(void *block, size_t by) { of(block)->word_ = by | kShifted; }
  // The chunk's block, moved up so.
  void *aligned_block(size_t align) {
    const auto begin = reinterpret_cast<Address>(block());
    const size_t by = round_up(begin, align) - begin;
    if (by != 0) mark_shift(reinterpret_cast<void *>(begin + by), by);
    return reinterpret_cast<void *>(begin + by);
  }
  // The chunk between `first` and `end` whose block is `block`, as far as its header says; null where there is none.
  static Chunk *find(const void *block, Address first, Address end, size_t shortest) {
    const auto address = reinterpret_cast<Address>(block);
    if (address % 8 != 0 || address < first + kHeaderBytes) return nullptr;
    Chunk *chunk = of(block);
    if (const size_t by = chunk->shift()) chunk = at(chunk->address() - by);
    return chunk->address() >= first && chunk->bytes() >= shortest && chunk->end() <= end ? chunk
                                                                                          : nullptr;
  }
  size_t shift() const { return (word_ & kShifted) != 0 ? bytes() : 0; }

private:
  static constexpr size_t kInUse = 1;
  static constexpr size_t kBeforeInUse = 2;
  static constexpr size_t kShifted = 4;
  static constexpr size_t kFlags = 7;

  size_t word_;
};

// A free chunk's place in the lists of an index.
struct FreeChunk {
  Chunk chunk;
  FreeChunk *next;
  FreeChunk *previous;

  static FreeChunk *of(Chunk *chunk) { return reinterpret_cast<FreeChunk *>(chunk); }
};

} // namespace abut::layers
