// Small kernels that show how long this machine takes over memory, in cycles of the core: a chain of dependent additions,
// one a cycle, is timed beside each of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace abut::calibrate {

inline constexpr size_t kRun = 32; // lines

enum class Order : uint8_t {
  random,    // of all lines
  ascending, // from the first line to the last
  runs,      // of kRun lines in ascending order, at random
  rotated,   // each page from a line of its own on, round its end
};

// Cycles in a nanosecond.
double gigahertz();

// Cycles a step of chains of pointers that visit all `lines`, `line_step` bytes apart: where steps of 4 KiB would keep to a
// few sets, each is a line further in its page. `chains` are followed at once, each step of each counts. `evicted`: out of
// all caches before each round, which visits each line once.
struct Chase {
  size_t lines = 0;
  size_t line_step = 64;
  Order order = Order::random;
  unsigned chains = 1; // at most kMostChains
  bool huge_pages = false;
  bool evicted = false;
};
inline constexpr unsigned kMostChains = 32;
double cycles_of(const Chase &chase, double gigahertz);

// Cycles a line of memory that is read from end to end, and that no cache holds before.
double cycles_of_reading(size_t bytes, double gigahertz);

} // namespace abut::calibrate
