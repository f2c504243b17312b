// xalloc, the custom allocator of 197.parser: a stack that waits until all that lies at its end is free (Feng and Berger,
// sections 4 and 4.5).
#pragma once

#include "allocators/layers/stack_chunks.hpp"
#include "allocators/lea.hpp"

namespace abut::allocators {

class Xalloc : public ChunkHeap<layers::StackChunks, MiB> {
public:
  explicit Xalloc(Grain grain) : ChunkHeap(grain) {}
};

} // namespace abut::allocators
