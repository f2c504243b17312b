// One set of any number of ways: a hash table finds the line, a list through the entries keeps them in order. For
// caches that are fully associative; every operation takes constant time, and memory is bounded by the capacity.
#pragma once

#include "sim/policy/ordered.hpp"
#include "trace/hash_map.hpp"

#include <vector>

namespace abut::sim {

template <Order Kept>
class Full {
public:
  static constexpr bool kRepeatIsIdle = true;

  explicit Full(const SetShape &shape) : nodes_(shape.ways + 1) {
    slots_.reserve(shape.ways);
    for (uint32_t slot = shape.ways; slot != kEnds; --slot) free_.push_back(slot);
    nodes_[kEnds].younger = nodes_[kEnds].older = kEnds;
  }

  Entry *find(uint64_t, uint64_t line) {
    const uint32_t slot = slot_of(line);
    if (slot == kEnds) return nullptr;
    if (Kept == Order::by_use && nodes_[kEnds].older != slot) {
      unlink(slot);
      link_youngest(slot);
    }
    return &nodes_[slot].entry;
  }

  Entry *peek(uint64_t, uint64_t line) {
    const uint32_t slot = slot_of(line);
    return slot == kEnds ? nullptr : &nodes_[slot].entry;
  }

  Entry insert(uint64_t, Entry entry) {
    Entry left;
    if (free_.empty()) left = take_out(nodes_[kEnds].younger);
    const uint32_t slot = free_.back();
    free_.pop_back();
    nodes_[slot].entry = entry;
    slots_.emplace(entry.line(), slot);
    link_youngest(slot);
    return left;
  }

  Entry remove(uint64_t, uint64_t line) {
    const uint32_t slot = slot_of(line);
    return slot == kEnds ? Entry{} : take_out(slot);
  }

private:
  static constexpr uint32_t kEnds = 0; // the node before the youngest and behind the oldest

  struct Node {
    Entry entry;
    uint32_t younger = kEnds;
    uint32_t older = kEnds;
  };

  // `kEnds` where the line is not there.
  uint32_t slot_of(uint64_t line) const {
    const auto found = slots_.find(line);
    return found == slots_.end() ? kEnds : found->second;
  }

  Entry take_out(uint32_t slot) {
    const Entry entry = nodes_[slot].entry;
    unlink(slot);
    slots_.erase(entry.line());
    free_.push_back(slot);
    return entry;
  }

  void unlink(uint32_t slot) {
    const Node &node = nodes_[slot];
    nodes_[node.younger].older = node.older;
    nodes_[node.older].younger = node.younger;
  }

  void link_youngest(uint32_t slot) {
    Node &ends = nodes_[kEnds];
    nodes_[slot].younger = kEnds;
    nodes_[slot].older = ends.older;
    nodes_[ends.older].younger = slot;
    ends.older = slot;
  }

  trace::NumberMap<uint32_t> slots_; // by line
  std::vector<Node> nodes_;
  std::vector<uint32_t> free_;
};

using FullLru = Full<Order::by_use>;
using FullFifo = Full<Order::by_arrival>;

} // namespace abut::sim
