// Which slot a line has: a hash table of fixed size, by linear probing, that never holds more than half of itself.
#pragma once

#include "sim/policy/entry.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace abut::sim {

class LineTable {
public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // For `most` lines at a time.
  explicit LineTable(uint64_t most)
      : cells_(std::bit_ceil(2 * most)), shift_(64 - std::countr_zero(cells_.size())) {}

  uint32_t find(uint64_t line) const {
    for (uint64_t at = home(line);; at = next(at)) {
      if (cells_[at].line == line) return cells_[at].slot;
      if (cells_[at].line == kEmpty) return kNone;
    }
  }

  // The line must not be there.
  void insert(uint64_t line, uint32_t slot) {
    uint64_t at = home(line);
    while (cells_[at].line != kEmpty) at = next(at);
    cells_[at] = {line, slot};
  }

  // The line must be there. What was pushed aside by it moves back, so that no marks are left behind.
  void remove(uint64_t line) {
    uint64_t hole = home(line);
    while (cells_[hole].line != line) hole = next(hole);
    for (uint64_t at = next(hole); cells_[at].line != kEmpty; at = next(at)) {
      const uint64_t from_home = (at - home(cells_[at].line)) & (cells_.size() - 1);
      const uint64_t from_hole = (at - hole) & (cells_.size() - 1);
      if (from_home < from_hole) continue;
      cells_[hole] = cells_[at];
      hole = at;
    }
    cells_[hole].line = kEmpty;
  }

private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  struct Cell {
    uint64_t line = kEmpty;
    uint32_t slot = 0;
  };

  uint64_t home(uint64_t line) const { return (line * 0x9e3779b97f4a7c15U) >> shift_; }
  uint64_t next(uint64_t at) const { return (at + 1) & (cells_.size() - 1); }

  std::vector<Cell> cells_;
  int shift_;
};

} // namespace abut::sim
