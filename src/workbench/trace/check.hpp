// Whether a trace can be true: what must hold of events and accesses, and what is counted.
#pragma once

#include "trace/reader.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace abut::trace {

// A rule that is broken, where first, and how often.
struct Violation {
  std::string rule;
  std::string first;
  uint64_t count = 0;
};

// What programs and allocators may do, yet is worth counting.
struct Remarkable {
  uint64_t accesses = 0;
  uint64_t without_object = 0;
  uint64_t allocator_side = 0;
  // By the program:
  uint64_t outside = 0; // not wholly within [0, size): vector loops read a little past the end
  uint64_t dead = 0;    // after the object was freed
  // By the allocator, for which both are normal:
  uint64_t allocator_outside = 0;
  uint64_t allocator_dead = 0;
};

struct Findings {
  std::vector<Violation> violations;
  Remarkable remarkable;
  uint64_t events = 0;
  uint64_t live_objects = 0; // never freed
};

// Reads all of the trace. It takes some ten bytes an object. The reader keeps a list of the damage that is met.
Findings check(Reader &reader);

} // namespace abut::trace
