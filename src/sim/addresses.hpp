// What the simulators of this folder that need no more than addresses take: parallel columns, and how a reference is cut
// into the equal blocks (lines, pages) that it touches.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::sim {

// References in their order. A column that is empty stands for one byte each, or for the application.
struct Addresses {
  static constexpr size_t kSides = 2; // the application, the allocator

  std::span<const uint64_t> address;
  std::span<const uint32_t> size; // bytes
  std::span<const uint8_t> side;  // trace::Side

  size_t count() const { return address.size(); }
  size_t side_of(size_t i) const { return side.empty() ? 0 : side[i] & 1; }
  uint64_t last_byte(size_t i) const {
    const uint64_t beyond = size.empty() ? 0 : std::max(size[i], uint32_t{1}) - uint64_t{1};
    return address[i] + std::min(beyond, UINT64_MAX - address[i]);
  }
};

// A block's length in bytes, as its log2.
struct BlockShift {
  unsigned bits;
};

// Calls `visit(block number, side)` for every block that each reference touches: one that straddles two counts in both.
template <typename Visit>
void for_each_block(const Addresses &references, BlockShift shift, Visit visit) {
  for (size_t i = 0; i < references.count(); ++i) {
    const uint64_t last = references.last_byte(i) >> shift.bits;
    for (uint64_t block = references.address[i] >> shift.bits; block <= last; ++block)
      visit(block, references.side_of(i));
  }
}

} // namespace abut::sim
