// Tree-PLRU: a binary tree over the ways of a set; each inner node points to the half that was used less recently.
#pragma once

#include "base/units.hpp"
#include "sim/policy/replacement.hpp"

#include <vector>

namespace abut::sim {

class TreePlru {
public:
  static constexpr bool kRepeatIsIdle = true;

  // `ways` is a power of two, at most 64.
  explicit TreePlru(const SetShape &shape) : trees_(shape.sets), ways_(shape.ways) {}

  void use(uint64_t set, uint32_t way) {
    uint64_t tree = trees_[set];
    uint32_t node = 1;
    for (uint32_t half = ways_ / 2; half != 0; half /= 2) {
      const bool right = (way & half) != 0;
      tree = right ? tree & ~bit(node) : tree | bit(node); // point to the other half
      node = 2 * node + (right ? 1 : 0);
    }
    trees_[set] = tree;
  }

  void arrive(uint64_t set, uint32_t way) { use(set, way); }

  uint32_t choose(uint64_t set) const {
    uint32_t node = 1;
    while (node < ways_) node = 2 * node + ((trees_[set] & bit(node)) != 0 ? 1 : 0);
    return node - ways_;
  }

private:
  static uint64_t bit(uint32_t node) { return uint64_t{1} << node; }

  std::vector<uint64_t> trees_;
  uint32_t ways_;
};

} // namespace abut::sim
