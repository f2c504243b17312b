// Least recently used, for caches of few lines: each entry keeps the time of its last use, and a table of hints says
// where a line was found last. A hit so costs no search, and no branch whose outcome depends on how long ago the line
// was used; only a miss looks at the whole set.
#pragma once

#include "sim/policy/replacement.hpp"

#include <bit>
#include <vector>

namespace abut::sim {

class Stamped {
public:
  static constexpr bool kRepeatIsIdle = true;
  static constexpr uint64_t kMostLines = 4096;

  explicit Stamped(const SetShape &shape)
      : cells_(shape.sets * shape.ways), hints_(std::bit_ceil(4 * cells_.size())),
        shift_(64 - std::countr_zero(hints_.size())), ways_(shape.ways) {}

  Entry *find(uint64_t set, uint64_t line) {
    Cell *cell = &cells_[hint(line)];
    if (!cell->entry.holds(line)) [[unlikely]] {
      cell = search(set, line);
      if (cell == nullptr) return nullptr;
      remember(line, cell);
    }
    cell->used = ++clock_;
    return &cell->entry;
  }

  Entry *peek(uint64_t set, uint64_t line) {
    Cell *cell = search(set, line);
    return cell == nullptr ? nullptr : &cell->entry;
  }

  Entry insert(uint64_t set, Entry entry) {
    Cell *oldest = &cells_[set * ways_];
    for (uint32_t way = 1; way < ways_; ++way) {
      Cell *cell = &cells_[set * ways_ + way];
      oldest = cell->used < oldest->used ? cell : oldest;
    }
    const Entry left = oldest->entry;
    *oldest = {entry, ++clock_};
    remember(entry.line(), oldest);
    return left;
  }

  Entry remove(uint64_t set, uint64_t line) {
    Cell *cell = search(set, line);
    if (cell == nullptr) return {};
    const Entry removed = cell->entry;
    *cell = {};
    return removed;
  }

private:
  struct Cell {
    Entry entry;
    uint64_t used = 0; // 0: never; so what is empty is the first to be taken
  };

  Cell *search(uint64_t set, uint64_t line) {
    Cell *first = &cells_[set * ways_];
    for (uint32_t way = 0; way < ways_; ++way)
      if (first[way].entry.holds(line)) return first + way;
    return nullptr;
  }

  uint16_t &hint(uint64_t line) { return hints_[(line * 0x9e3779b97f4a7c15U) >> shift_]; }
  void remember(uint64_t line, const Cell *cell) {
    hint(line) = static_cast<uint16_t>(cell - cells_.data());
  }

  std::vector<Cell> cells_;
  std::vector<uint16_t> hints_;
  int shift_;
  uint32_t ways_;
  uint64_t clock_ = 0;
};

} // namespace abut::sim
