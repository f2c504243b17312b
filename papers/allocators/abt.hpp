// The address-ordered binary tree: better fit, and neighbours that coalesce (Rezaei and Kavi, section 2.2).
#pragma once

#include "allocators/layers/address_tree.hpp"
#include "allocators/lea.hpp"

namespace abut::allocators {

struct AbtPolicy {
  using Index = layers::AddressTree;
  static constexpr size_t kLeast = 48;
  static constexpr bool kBump = false; // all that is free is in the tree
  static constexpr bool kDiscard = false;
};

class Abt : public ChunkHeap<layers::Regions<AbtPolicy, layers::WholeAreas>, MiB> {
public:
  explicit Abt(Grain grain) : ChunkHeap(grain, layers::WholeAreas{}) {}
};

} // namespace abut::allocators
