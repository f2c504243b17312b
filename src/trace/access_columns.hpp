// The accesses of one chunk as columns of bytes, before they are compressed.
#pragma once

#include "trace/bytes.hpp"
#include "trace/code_columns.hpp"

#include <cstdint>

namespace abut::trace {

struct AccessColumns {
  Bytes dictionary; // the tags
  Bytes tags;       // which one: a byte an access
  Bytes distances;  // two bytes each
  Bytes objects;    // steps, as wide as their tags say
  Bytes offsets;    // steps
  Bytes sizes;      // four bytes each
  Bytes threads;    // runs of accesses of one thread: varints (thread, count)
  CodeColumns codes;
};

} // namespace abut::trace
