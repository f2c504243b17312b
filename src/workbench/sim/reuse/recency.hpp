// Items in the order of their last use, which can say how many were used more recently than a given one.
//
// Each item holds a slot on a line of time; slots are bits, counted by 512, and a Fenwick tree sums the counts
// (Bennett and Kruskal's way, with bits for leaves). When time runs out, the slots move together. So memory is some
// bytes for each item that is there at once, however often they are used.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace abut::sim {

class Recency {
public:
  Recency();

  bool holds(uint32_t item) const { return item < slot_of_.size() && slot_of_[item] != kNowhere; }
  uint32_t count() const { return count_; }

  // How many items were used after this one, which is there.
  uint32_t above(uint32_t item) const;
  // Uses an item that is not there.
  void push(uint32_t item);
  void remove(uint32_t item);
  // Another item, which is not there, takes this one's place.
  void replace(uint32_t item, uint32_t by);
  // Whether the first was used later than the second; both are there.
  bool is_above(uint32_t item, uint32_t other) const { return slot_of_[item] > slot_of_[other]; }

  // Uses an item that is there: how many were used since it was.
  uint32_t touch(uint32_t item) {
    const uint32_t distance = above(item);
    if (distance == 0) return 0;
    remove(item);
    push(item);
    return distance;
  }

private:
  static constexpr uint32_t kNowhere = UINT32_MAX;
  static constexpr uint32_t kLeafShift = 9; // slots of a leaf, as log2
  static constexpr uint32_t kWords = 1U << (kLeafShift - 6);

  uint32_t leaves() const { return static_cast<uint32_t>(owner_.size() >> kLeafShift); }
  uint32_t in_leaf_through(uint32_t slot) const;
  uint32_t in_leaves_before(uint32_t leaf) const;
  void add(uint32_t leaf, uint32_t difference);
  void make_room();
  void rebuild();

  std::vector<uint64_t> used_;    // a bit a slot
  std::vector<uint32_t> tree_;    // over the leaves before the one that is being filled
  std::vector<uint32_t> owner_;   // by slot
  std::vector<uint32_t> slot_of_; // by item
  uint32_t next_ = 0;             // slot
  uint32_t count_ = 0;
};

} // namespace abut::sim
