// Why a reference missed (Hill 1987): compulsory, if the line was never there before; capacity, if a fully associative
// LRU cache of the same size misses, too; conflict, if that one hits.
#pragma once

#include "sim/policy/full.hpp"
#include "sim/policy/line_set.hpp"

#include <cstddef>
#include <cstdint>

namespace abut::sim {

enum class MissClass : uint8_t { compulsory, capacity, conflict, sector };
inline constexpr size_t kMissClasses = 4;

class MissClasses {
public:
  explicit MissClasses(uint64_t lines) : full_({1, static_cast<uint32_t>(lines), 1}) {}

  // Every use of a line, in order: why the cache missed, if it did. `allocates`: a miss brings the line in.
  MissClass use(uint64_t line, bool allocates) {
    if (full_.find(0, line) != nullptr) return MissClass::conflict;
    if (allocates) full_.insert(0, Entry::of(line));
    return seen_.add(line) ? MissClass::compulsory : MissClass::capacity;
  }

private:
  FullLru full_;
  LineSet seen_;
};

} // namespace abut::sim
