// Sets of lines in the order of their last use, each with the time at which it is there.
#pragma once

#include "sim/time/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace abut::sim {

class LruSets {
public:
  struct Line {
    uint64_t tag = ~uint64_t{0};
    uint64_t ready : 63 = 0;
    uint64_t prefetched : 1 = 0; // and not asked for since
  };

  explicit LruSets(const TimedCache &shape)
      : ways_(shape.ways), mask_(shape.sets - 1), lines_(size_t{shape.sets} * shape.ways) {}

  // The line, which becomes the one used last; null where it is not here.
  Line *use(uint64_t tag) {
    Line *set = set_of(tag);
    if (set->tag == tag) return set;
    for (uint32_t way = 1; way < ways_; ++way)
      if (set[way].tag == tag) {
        std::rotate(set, set + way, set + way + 1);
        return set;
      }
    return nullptr;
  }

  bool holds(uint64_t tag) {
    const Line *set = set_of(tag);
    return std::any_of(set, set + ways_, [tag](const Line &line) { return line.tag == tag; });
  }

  // In place of the one used longest ago.
  Line *insert(uint64_t tag, Ticks ready, bool prefetched) {
    Line *set = set_of(tag);
    std::move_backward(set, set + ways_ - 1, set + ways_);
    *set = {tag, ready, prefetched ? uint64_t{1} : 0};
    return set;
  }

private:
  Line *set_of(uint64_t tag) { return &lines_[(tag & mask_) * ways_]; }

  uint32_t ways_;
  uint64_t mask_;
  std::vector<Line> lines_;
};

} // namespace abut::sim
