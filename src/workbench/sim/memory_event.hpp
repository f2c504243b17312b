// What happens to memory between references, for simulators that follow it.
#pragma once

#include <cstdint>

namespace abut::sim {

struct MemoryEvent {
  enum class Kind : uint8_t {
    allocated,
    discarded,  // unmapped, or its content dropped
    unrecorded, // references from the last ones to the next; address and size are 0
  };
  Kind kind = Kind::allocated;
  uint64_t address = 0;
  uint64_t bytes = 0;
};

} // namespace abut::sim
