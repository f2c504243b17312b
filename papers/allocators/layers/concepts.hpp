// What the parts of a heap ask of each other: one concept for each kind of part.
//
// A part is a small class that does one thing; an allocator (allocators/) is a few lines that put parts together.
// None of them locks, and none of them is called by two threads at once.
#pragma once

#include "base/units.hpp"

#include <concepts>

namespace abut::layers {

// What every block's address is a multiple of. The C standard of the papers' time asked for eight; compilers for
// 64-bit machines count on sixteen, except for blocks that are smaller.
enum class Grain : uint8_t { eight = 8, sixteen = 16 };

constexpr size_t bytes_of(Grain grain) { return static_cast<size_t>(grain); }

// The bytes that a block for `bytes` takes where it has no header.
constexpr size_t rounded(size_t bytes, Grain grain) {
  return bytes <= 8 ? 8 : round_up(bytes, bytes_of(grain));
}

// What became of a block that was given back.
enum class Release : uint8_t { done, not_a_block, already_free };

// Which sizes there are: class `index(bytes)` is the smallest that holds `bytes`, of 1 to kMax.
template <class C>
concept SizeClasses = requires(size_t bytes, unsigned index) {
  { C::kMax } -> std::convertible_to<size_t>;
  { C::kCount } -> std::convertible_to<unsigned>;
  { C::index(bytes) } -> std::same_as<unsigned>;
  { C::size(index) } -> std::same_as<size_t>;
};

// The cells of one page block: which are free, and which is next. `Cells` says where they are (slots.hpp).
template <class S, class Cells>
concept Slots = requires(S slots, const Cells &cells, void *cell) {
  { slots.take(cells) } -> std::same_as<void *>;     // null where none is free
  { slots.give(cells, cell) } -> std::same_as<bool>; // false where it is known to be free already
};

// The free chunks of memory that has boundary tags: which one suits a request.
template <class I, class Chunk>
concept ChunkIndex = requires(I index, Chunk *chunk, size_t bytes) {
  { I::kShortest } -> std::convertible_to<size_t>; // bytes of a chunk that can be in it
  {
    index.take(bytes)
    } -> std::same_as<Chunk *>; // removes and returns a chunk of at least `bytes`, or null
  index.add(chunk);
  index.remove(chunk);
};

// Where memory comes from in pieces: `take` maps or finds at least `bytes`, `give` takes all of it back. The piece that any
// address in it belongs to can be found again: where it begins, 0 where there is none, and how long it is. kKeepsLast:
// whether the last piece stays although it is empty.
template <class S>
concept RegionSource = requires(S source, void *memory, size_t bytes) {
  { source.take(bytes) } -> std::same_as<void *>;
  source.give(memory);
  { S::kKeepsLast } -> std::convertible_to<bool>;
  { S::begin_of(memory) } -> std::same_as<Address>;
  { S::length_of(memory) } -> std::same_as<size_t>;
};

// A heap: what all the parts together are, and what some of them are alone. `allocate` returns null where memory is
// exhausted; `align` is a power of two. `usable` is the length of a block, 0 for what is none.
template <class H>
concept Heap = requires(H heap, void *block, size_t bytes, size_t align) {
  { heap.allocate(bytes, align) } -> std::same_as<void *>;
  { heap.release(block) } -> std::same_as<Release>;
  { heap.usable(block) } -> std::same_as<size_t>;
};

} // namespace abut::layers
