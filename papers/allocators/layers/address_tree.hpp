// The free chunks as a binary tree in order of address, where each knows the longest chunk of its subtrees (Rezaei and
// Kavi, section 2.2).
//
// A request goes down towards the chunk or subtree whose longest suffices with the least to spare (better fit), or to the
// lowest address that suffices (first fit). The paper does not say how the tree is kept from growing into a list; here it
// is a treap, whose priorities come from the addresses. With lengths for priorities it is Stephenson's Cartesian tree, whose
// root is the longest chunk.
#pragma once

#include "allocators/layers/chunk.hpp"

#include <algorithm>

namespace abut::layers {

enum class Fit : uint8_t { better, first };
enum class TreeOrder : uint8_t { address, length }; // what decides who stands above whom

template <Fit kFit = Fit::better, TreeOrder kOrder = TreeOrder::address>
class AddressTree {
public:
  static constexpr size_t kShortest = 48; // a node and the length at its end, in whole grains

  Chunk *take(size_t bytes) {
    Node *node = root_;
    if (longest(node) < bytes) return nullptr;
    while (kFit == Fit::first && (longest(node->left) >= bytes || node->chunk.bytes() < bytes))
      node = longest(node->left) >= bytes ? node->left : node->right;
    while (kFit == Fit::better) {
      const size_t choices[] = {node->chunk.bytes(), longest(node->left), longest(node->right)};
      const size_t *best = nullptr;
      for (const size_t &choice : choices)
        if (choice >= bytes && (best == nullptr || choice < *best)) best = &choice;
      if (best == choices) break;
      node = best == choices + 1 ? node->left : node->right;
    }
    remove(&node->chunk);
    return &node->chunk;
  }

  void add(Chunk *chunk) {
    Node *node = fresh(chunk);
    Node *below = nullptr;
    Node *above = nullptr;
    split(root_, node, below, above);
    root_ = joined(joined(below, node), above);
  }
  void remove(Chunk *chunk) { root_ = removed(root_, Node::of(chunk)); }

private:
  struct Node {
    Chunk chunk;
    Node *left;
    Node *right;
    size_t longest; // of itself and all below it

    static Node *of(Chunk *chunk) { return reinterpret_cast<Node *>(chunk); }
    uint64_t priority() const {
      const uint64_t scattered = chunk.address() * 0x9e3779b97f4a7c15U;
      return kOrder == TreeOrder::length ? chunk.bytes() << 36 | scattered >> 28 : scattered;
    }
  };

  static size_t longest(const Node *node) { return node != nullptr ? node->longest : 0; }

  static Node *fresh(Chunk *chunk) {
    Node *node = Node::of(chunk);
    node->left = node->right = nullptr;
    node->longest = chunk->bytes();
    return node;
  }

  static Node *updated(Node *node) {
    node->longest = std::max({node->chunk.bytes(), longest(node->left), longest(node->right)});
    return node;
  }

  // What lies below and above `at`.
  static void split(Node *root, const Node *at, Node *&below, Node *&above) {
    if (root == nullptr) {
      below = above = nullptr;
    } else if (root < at) {
      split(root->right, at, root->right, above);
      below = updated(root);
    } else {
      split(root->left, at, below, root->left);
      above = updated(root);
    }
  }

  static Node *joined(Node *below, Node *above) {
    if (below == nullptr || above == nullptr) return below != nullptr ? below : above;
    if (below->priority() > above->priority()) {
      below->right = joined(below->right, above);
      return updated(below);
    }
    above->left = joined(below, above->left);
    return updated(above);
  }

  static Node *removed(Node *root, Node *node) {
    if (root == node) return joined(node->left, node->right);
    Node *&side = node < root ? root->left : root->right;
    side = removed(side, node);
    return updated(root);
  }

  Node *root_ = nullptr;
};

static_assert(ChunkIndex<AddressTree<>, Chunk>);

} // namespace abut::layers
