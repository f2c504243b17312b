// Which cells of a page block are free: two ways to know.
#pragma once

#include "allocators/layers/concepts.hpp"

#include <bit>

namespace abut::layers {

// The equal cells of a page block.
struct Cells {
  Address begin;
  uint32_t each;  // bytes
  uint32_t count; // cells

  void *at(uint32_t index) const { return reinterpret_cast<void *>(begin + size_t{index} * each); }
  uint32_t index_of(const void *cell) const {
    return static_cast<uint32_t>((reinterpret_cast<Address>(cell) - begin) / each);
  }
  bool is_cell(const void *cell) const {
    const size_t offset = reinterpret_cast<Address>(cell) - begin;
    return offset < size_t{each} * count && static_cast<uint32_t>(offset) % each == 0;
  }
};

// A reap: a pointer moves to the end of the block first, so that blocks lie in the order of their allocation; only then
// does the list through what was freed serve, the last one first (Vam, section 3.4).
class ReapSlots {
public:
  void *take(const Cells &cells) {
    if (next_ < cells.count) return cells.at(next_++);
    void *cell = freed_;
    if (cell != nullptr) freed_ = *static_cast<void **>(cell);
    return cell;
  }
  bool give(const Cells &, void *cell) {
    *static_cast<void **>(cell) = freed_;
    freed_ = cell;
    return true;
  }

private:
  void *freed_ = nullptr;
  uint32_t next_ = 0;
};

// One bit a cell, set where the cell is taken; the lowest free one is used first (PHKmalloc). Nothing is written into
// free cells, and a cell that is freed twice is noticed.
template <uint32_t Most>
class BitmapSlots {
public:
  void *take(const Cells &cells) {
    for (uint32_t word = lowest_; 64 * word < cells.count; ++word) {
      const auto bit = static_cast<uint32_t>(std::countr_one(taken_[word]));
      lowest_ = word;
      if (bit == 64) continue;
      const uint32_t index = 64 * word + bit;
      if (index >= cells.count) return nullptr;
      taken_[word] |= uint64_t{1} << bit;
      return cells.at(index);
    }
    return nullptr;
  }

  bool give(const Cells &cells, void *cell) {
    const uint32_t index = cells.index_of(cell);
    const uint64_t bit = uint64_t{1} << (index & 63);
    if ((taken_[index >> 6] & bit) == 0) return false;
    taken_[index >> 6] &= ~bit;
    if (index >> 6 < lowest_) lowest_ = index >> 6;
    return true;
  }

private:
  uint32_t lowest_ = 0; // no free cell has its bit in a word before it
  uint64_t taken_[Most / 64] = {};
};

static_assert(Slots<ReapSlots, Cells> && Slots<BitmapSlots<512>, Cells>);

} // namespace abut::layers
