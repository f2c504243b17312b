// Which block begins at an address that is handed back: for the slow paths, which know nothing of it yet.
#pragma once

#include "heap/large_blocks.hpp"
#include "heap/local_heap.hpp"

namespace abut::heap {

struct HugeInfo;

inline constexpr const char *kFreedTwice = "this block has been freed twice";
inline constexpr const char *kNotABlock = "no block begins at this address";

// A block that an address was found to be.
struct Found {
  enum class Where : uint8_t {
    foreign,
    sized, // small, in size order
    small, // in birth order
    medium,
    large,
    huge,
    placed
  } where = Where::foreign;
  Segment *segment = nullptr;
  LocalHeap *owner = nullptr;
  unsigned size = 0; // in granules of its tier; of a placed block, or one in a size page, in bytes
  LargeBlock large;
  HugeInfo *huge = nullptr;
};
using Where = Found::Where;

// What block begins at `memory`; ends the process, with the name of the call, if the address is the heap's and none does.
Found find_block(const char *call, void *memory);

// Bytes that the program may use of it; nought if it is not this heap's.
size_t usable_bytes(const Found &found);

} // namespace abut::heap
