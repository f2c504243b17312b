// References cut into the equal blocks, lines or pages, that they touch.
#pragma once

#include "sim/reference.hpp"

#include <cstddef>
#include <cstdint>

namespace abut::sim {

// A block's length in bytes, as its log2.
struct BlockShift {
  unsigned bits;
};

inline size_t side_index(const References &references, size_t i) {
  return references.kinds.empty() ? 0 : index_of(side_of(references.kinds[i]));
}

inline Extent extent_of(const References &references, size_t i) {
  return extent_of(references.addresses[i], references.sizes.empty() ? 1 : references.sizes[i]);
}

// Calls `visit(block number, index of the side)` for every block that each reference touches: one that straddles two
// counts in both.
template <typename Visit>
void for_each_block(const References &references, BlockShift shift, Visit visit) {
  for (size_t i = 0; i < references.count(); ++i) {
    const Extent bytes = extent_of(references, i);
    const uint64_t last = bytes.last >> shift.bits;
    for (uint64_t block = bytes.first >> shift.bits; block <= last; ++block)
      visit(block, side_index(references, i));
  }
}

} // namespace abut::sim
