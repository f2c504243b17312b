// A reap: a region until something is freed, then a heap of what was freed, until that is used up (Feng and Berger,
// section 2.3). Every block has a header.
#pragma once

#include "allocators/lea.hpp"

namespace abut::allocators {

class Reap : public ChunkHeap<layers::Regions<LeaPolicy, layers::WholeAreas>, 128 * KiB> {
public:
  explicit Reap(Grain grain) : ChunkHeap(grain, layers::WholeAreas{}) {}
};

} // namespace abut::allocators
