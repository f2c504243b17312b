// Runs: neighbouring cells of one size in one page, which are handed out one after the other to objects that follow
// each other. The cell after the last one that was handed out carries a marker, so that whoever knows the last one
// finds the next on the same line or the one after, with no table to look at.
#pragma once

#include "base/units.hpp"
#include "heap/bin.hpp"

namespace abut::near {

// Keyed by the heap's secret and by its own address, so that neither what a program writes nor a copy of a marker
// passes for one.
class Marker {
public:
  constexpr explicit Marker(uint64_t key = 0) : key_(key) {}

  // Cells that wait from `cell` on, if a run of `size` granules a cell goes on there; else nought.
  unsigned waiting_at(Address cell, unsigned size) const {
    const uint64_t word = *reinterpret_cast<const uint64_t *>(cell) ^ seal(cell);
    return word >> kCountBits == size ? static_cast<unsigned>(word & kMostCells) : 0;
  }

  void put(Address cell, unsigned size, unsigned waiting) const {
    *reinterpret_cast<uint64_t *>(cell) = (uint64_t{size} << kCountBits | waiting) ^ seal(cell);
  }

  // Takes the cell that waits at `cell`, and marks the one after it.
  void *take(Address cell, unsigned size, unsigned waiting) const {
    if (waiting > 1) put(cell + size * 16, size, waiting - 1);
    // The lines that the chain will grow into are asked for before it gets there: with many chains, nothing else would.
    __builtin_prefetch(reinterpret_cast<const char *>(cell) + kAhead, 1);
    auto *block = reinterpret_cast<heap::Block *>(cell);
    block->next = nullptr; // the marker ends here
    block->mark = 0;
    return block;
  }

private:
  uint64_t seal(Address cell) const { return (cell ^ key_) * 0x9E3779B97F4A7C15; }

  static constexpr size_t kAhead = 3 * kLineBytes;
  static constexpr unsigned kCountBits = 9;
  static constexpr uint64_t kMostCells = (uint64_t{1} << kCountBits) - 1;

  uint64_t key_;
};

} // namespace abut::near
