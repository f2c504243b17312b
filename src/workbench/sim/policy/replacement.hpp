// What a replacement policy is: sets of entries that decide who leaves. One file a policy.
#pragma once

#include "base/units.hpp"
#include "sim/policy/entry.hpp"

#include <concepts>
#include <cstdint>

namespace abut::sim {

struct SetShape {
  uint64_t sets = 1;
  uint32_t ways = 1;
  uint64_t seed = 1;
};

// Which set a line belongs to.
class SetIndex {
public:
  explicit SetIndex(uint64_t sets) : sets_(sets), masked_(is_power_of_two(sets)) {}
  uint64_t set_of(uint64_t line) const { return masked_ ? line & (sets_ - 1) : line % sets_; }

private:
  uint64_t sets_;
  bool masked_;
};

// The line's entry among the ways of a set, or null.
inline Entry *entry_of(uint64_t line, Entry *first, uint32_t ways) {
  for (uint32_t way = 0; way < ways; ++way)
    if (first[way].holds(line)) return first + way;
  return nullptr;
}

template <typename Sets>
concept Replacement = requires(Sets sets, uint64_t set, uint64_t line, Entry entry) {
  // Whether a second hit in a row on the same line changes nothing, so that the call can be left out.
  { Sets::kRepeatIsIdle } -> std::convertible_to<bool>;
  // The line's entry after a use, or null. Valid until the next call.
  { sets.find(set, line) } -> std::same_as<Entry *>;
  // The same without a use.
  { sets.peek(set, line) } -> std::same_as<Entry *>;
  // Brings in a line that is not there; answers who had to leave, empty where there was room.
  { sets.insert(set, entry) } -> std::same_as<Entry>;
  // Takes the line out; empty where it was not there.
  { sets.remove(set, line) } -> std::same_as<Entry>;
};

} // namespace abut::sim
