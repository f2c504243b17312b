// Sets of at most sixteen lines, of which the one used longest ago leaves, each with the time at which it is there.
#pragma once

#include "sim/time/machine.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <vector>

namespace abut::sim {

class LruSets {
public:
  static constexpr uint32_t kWays = 16; // at most
  struct Line {
    uint64_t tag = ~uint64_t{0};
    uint64_t ready : 63 = 0;
    uint64_t prefetched : 1 = 0; // and not asked for since
  };

  explicit LruSets(const TimedCache &shape)
      : last_(4 * (shape.ways - 1)), mask_(shape.sets - 1), shift_(std::countr_zero(shape.sets)),
        sets_(shape.sets), lines_(size_t{shape.sets} * kWays) {}

  // The line, which becomes the one used last; null where it is not here.
  Line *use(uint64_t tag) {
    const size_t at = find(tag);
    if (at == kAbsent) return nullptr;
    uint64_t &order = sets_[at / kWays].order;
    const uint64_t way = at % kWays;
    if ((order & 15) != way) order = to_front(order, way);
    return &lines_[at];
  }

  // The line will be asked for in a moment.
  void fetch_ahead(uint64_t tag) const {
    __builtin_prefetch(&sets_[tag & mask_]);
    const Line *lines = &lines_[(tag & mask_) * kWays];
    for (size_t way = 0; way < kWays; way += 4) __builtin_prefetch(lines + way);
  }

  bool holds(uint64_t tag) const { return find(tag) != kAbsent; }

  // In place of the one used longest ago. The line must not be here.
  Line *insert(uint64_t tag, Ticks ready, bool prefetched) {
    Set &set = sets_[tag & mask_];
    const uint64_t way = set.order >> last_ & 15;
    set.order = to_front(set.order, way);
    set.marks[way] = mark_of(tag);
    const size_t at = (tag & mask_) * kWays + way;
    lines_[at] = {tag, ready, prefetched ? uint64_t{1} : 0};
    return &lines_[at];
  }

private:
  using Marks = uint8_t __attribute__((vector_size(kWays)));
  struct Set {
    Marks marks{}; // a byte of each tag: what is not here is mostly known at once
    uint64_t order = 0xfedcba9876543210U; // a digit a way, the one used last the lowest
  };
  static constexpr size_t kAbsent = ~size_t{0};

  uint8_t mark_of(uint64_t tag) const {
    const uint64_t above = tag >> shift_;
    return static_cast<uint8_t>(above ^ above >> 8);
  }

  size_t find(uint64_t tag) const {
    const uint8_t mark = mark_of(tag);
    const auto equal = static_cast<Marks>(sets_[tag & mask_].marks == mark);
    const auto halves = std::bit_cast<std::array<uint64_t, 2>>(equal);
    const size_t first = (tag & mask_) * kWays;
    for (size_t half = 0; half < 2; ++half)
      for (uint64_t found = halves[half] & 0x0101010101010101U; found != 0; found &= found - 1) {
        const size_t at = first + 8 * half + static_cast<size_t>(std::countr_zero(found)) / 8;
        if (lines_[at].tag == tag) return at;
      }
    return kAbsent;
  }

  static uint64_t to_front(uint64_t order, uint64_t way) {
    constexpr uint64_t kOnes = 0x1111111111111111U;
    const uint64_t differs = order ^ way * kOnes;
    const uint64_t zeros = (differs - kOnes) & ~differs & 8 * kOnes; // the lowest is the digit
    const uint64_t through = zeros ^ (zeros - 1);                    // all bits up to its end
    return (order & ~through) | (order << 4 & through) | way;
  }

  uint32_t last_;
  uint64_t mask_;
  int shift_;
  std::vector<Set> sets_;
  std::vector<Line> lines_;
};

} // namespace abut::sim
