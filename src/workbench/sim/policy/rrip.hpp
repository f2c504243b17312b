// Static re-reference interval prediction with 2 bits and hit priority (Jaleel and others, ISCA 2010): a line comes in
// as one that is used again late, and only a hit makes it one that is used again soon.
#pragma once

#include "sim/policy/replacement.hpp"

#include <vector>

namespace abut::sim {

class Rrip {
public:
  // A line's first hit changes its prediction, even right after it came in.
  static constexpr bool kRepeatIsIdle = false;

  explicit Rrip(const SetShape &shape)
      : predictions_(shape.sets * shape.ways, kDistant), ways_(shape.ways) {}

  void use(uint64_t set, uint32_t way) { predictions_[set * ways_ + way] = kNear; }
  void arrive(uint64_t set, uint32_t way) { predictions_[set * ways_ + way] = kLong; }

  uint32_t choose(uint64_t set) {
    uint8_t *first = &predictions_[set * ways_];
    for (;;) {
      for (uint32_t way = 0; way < ways_; ++way)
        if (first[way] == kDistant) return way;
      for (uint32_t way = 0; way < ways_; ++way) ++first[way];
    }
  }

private:
  static constexpr uint8_t kNear = 0;
  static constexpr uint8_t kLong = 2;
  static constexpr uint8_t kDistant = 3;

  std::vector<uint8_t> predictions_;
  uint32_t ways_;
};

} // namespace abut::sim
