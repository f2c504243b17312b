// The address-ordered binary tree, by better fit and by first fit, and the Cartesian tree that it comes from: neighbours
// coalesce (Rezaei and Kavi, sections 2.1 and 2.2).
#pragma once

#include "allocators/layers/address_tree.hpp"
#include "allocators/lea.hpp"

namespace abut::allocators {

template <class Tree>
struct TreePolicy {
  using Index = Tree;
  static constexpr size_t kLeast = 48;
  static constexpr bool kBump = false; // all that is free is in the tree
  static constexpr bool kDiscard = false;
};

template <layers::Fit kFit, layers::TreeOrder kOrder>
class TreeHeap
    : public ChunkHeap<
          layers::Regions<TreePolicy<layers::AddressTree<kFit, kOrder>>, layers::WholeAreas>, MiB> {
public:
  explicit TreeHeap(Grain grain) : TreeHeap::ChunkHeap(grain, layers::WholeAreas{}) {}
};

using Abt = TreeHeap<layers::Fit::better, layers::TreeOrder::address>;
using AbtFirst = TreeHeap<layers::Fit::first, layers::TreeOrder::address>;
using Cartesian = TreeHeap<layers::Fit::better, layers::TreeOrder::length>;

} // namespace abut::allocators
