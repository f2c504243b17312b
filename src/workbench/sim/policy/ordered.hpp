// Least recently used, and first in first out: each set is an array from the youngest entry to the oldest, with what
// is empty at its end.
#pragma once

#include "sim/policy/replacement.hpp"

#include <vector>

namespace abut::sim {

enum class Order : uint8_t { by_use, by_arrival };

template <Order Kept>
class Ordered {
public:
  static constexpr bool kRepeatIsIdle = true;

  explicit Ordered(const SetShape &shape) : entries_(shape.sets * shape.ways), ways_(shape.ways) {}

  Entry *find(uint64_t set, uint64_t line) {
    Entry *first = &entries_[set * ways_];
    if (first->holds(line)) return first;
    for (uint32_t way = 1; way < ways_; ++way) {
      if (!first[way].holds(line)) continue;
      if constexpr (Kept == Order::by_arrival) return first + way;
      const Entry used = first[way];
      push_in(first, way, used);
      return first;
    }
    return nullptr;
  }

  Entry *peek(uint64_t set, uint64_t line) { return entry_of(line, &entries_[set * ways_], ways_); }

  Entry insert(uint64_t set, Entry entry) {
    Entry *first = &entries_[set * ways_];
    const Entry left = first[ways_ - 1];
    push_in(first, ways_ - 1, entry);
    return left;
  }

  Entry remove(uint64_t set, uint64_t line) {
    Entry *found = peek(set, line);
    if (found == nullptr) return {};
    const Entry removed = *found;
    Entry *end = &entries_[set * ways_] + ways_;
    for (; found + 1 != end; ++found) *found = found[1];
    *found = {};
    return removed;
  }

private:
  // Puts the entry first, over the one at `way`; those between make room.
  static void push_in(Entry *first, uint32_t way, Entry entry) {
    for (; way > 0; --way) first[way] = first[way - 1];
    *first = entry;
  }

  std::vector<Entry> entries_;
  uint32_t ways_;
};

using Lru = Ordered<Order::by_use>;
using Fifo = Ordered<Order::by_arrival>;

} // namespace abut::sim
