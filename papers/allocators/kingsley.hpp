// Chris Kingsley's allocator of BSD 4.2: powers of two, headers, and no way back (Feng and Berger, section 2.2).
#pragma once

#include "allocators/layers/carved_lists.hpp"
#include "allocators/layers/classes.hpp"
#include "allocators/lea.hpp"

namespace abut::allocators {

using KingsleyClasses = layers::PowerOfTwoClasses<32, 8 * MiB>;

class Kingsley
    : public ChunkHeap<layers::CarvedLists<KingsleyClasses, layers::BumpedPages>, 2 * MiB> {
public:
  explicit Kingsley(Grain grain) : ChunkHeap(grain) {}
};

} // namespace abut::allocators
