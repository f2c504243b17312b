// Sets whose entries stay where they are; a policy beside them decides which way is taken next.
#pragma once

#include "sim/policy/replacement.hpp"

#include <vector>

namespace abut::sim {

// A policy has, for the ways of a set:
//   use(set, way)      the entry there was hit
//   arrive(set, way)   an entry was put there
//   choose(set)        the way of the entry that has to leave
template <typename Policy>
class Ways {
public:
  static constexpr bool kRepeatIsIdle = Policy::kRepeatIsIdle;

  explicit Ways(const SetShape &shape)
      : entries_(shape.sets * shape.ways), ways_(shape.ways), policy_(shape) {}

  Entry *find(uint64_t set, uint64_t line) {
    Entry *found = peek(set, line);
    if (found != nullptr) policy_.use(set, static_cast<uint32_t>(found - &entries_[set * ways_]));
    return found;
  }

  Entry *peek(uint64_t set, uint64_t line) { return entry_of(line, &entries_[set * ways_], ways_); }

  Entry insert(uint64_t set, Entry entry) {
    Entry *first = &entries_[set * ways_];
    uint32_t way = 0;
    while (way < ways_ && !first[way].empty()) ++way;
    if (way == ways_) way = policy_.choose(set);
    const Entry left = first[way];
    first[way] = entry;
    policy_.arrive(set, way);
    return left;
  }

  Entry remove(uint64_t set, uint64_t line) {
    Entry *found = peek(set, line);
    if (found == nullptr) return {};
    const Entry removed = *found;
    *found = {};
    return removed;
  }

private:
  std::vector<Entry> entries_;
  uint32_t ways_;
  Policy policy_;
};

} // namespace abut::sim
