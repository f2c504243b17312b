// The accesses of one chunk as columns of bytes, before they are compressed.
#pragma once

#include "trace/format/bytes.hpp"

namespace abut::trace {

struct AccessColumns {
  Bytes sites;   // what is known of places in the code
  Bytes rules;   // how accesses are foretold
  Bytes groups;  // which rules go together
  Bytes symbols; // the groups that the chunk consists of: two bytes each
  Bytes objects; // steps, as wide as their rules say
  Bytes offsets; // steps
  Bytes threads; // runs of accesses of one thread: varints (thread, count)
};

} // namespace abut::trace
