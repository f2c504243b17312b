// Blocks that a layer above has placed in memory of its own. The heap knows which addresses those are, and hands on what
// is asked about them.
#pragma once

#include "base/units.hpp"

namespace abut::heap {

struct PlacedBlocks {
  // Bytes of the block that begins there; zero if none does.
  size_t (*usable)(Address) = nullptr;
  // Takes the block back; false if none begins there. By any thread.
  bool (*release)(Address) = nullptr;
};

extern constinit PlacedBlocks placed_blocks;

} // namespace abut::heap
