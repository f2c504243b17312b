// The hash table of the workbench, with a hash that spreads neighbouring numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tsl/robin_map.h>

namespace abut::trace {

// Fibonacci hashing: 2^64 / golden ratio.
constexpr uint64_t mixed(uint64_t value) {
  value *= 0x9e3779b97f4a7c15U;
  return value ^ (value >> 32);
}

struct MixedHash {
  size_t operator()(uint64_t key) const { return mixed(key); }
};

template <typename Value>
using NumberMap = tsl::robin_map<uint64_t, Value, MixedHash>;

} // namespace abut::trace
