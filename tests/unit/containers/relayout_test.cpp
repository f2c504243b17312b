// Structures of a program's own, laid out again: the structure stays what it was, and lies as it was asked to.
#include "abut/relayout.hpp"
#include "support/random.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>

namespace {
bool refuses_chunks = false;
}
// Of arenas' chunks.
void *operator new(std::size_t bytes, std::align_val_t alignment) {
  void *memory = refuses_chunks ? nullptr : std::aligned_alloc(std::size_t(alignment), bytes);
  return memory != nullptr ? memory : throw std::bad_alloc();
}
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }

namespace abut {
namespace {

struct Node {
  Node *left = nullptr;
  Node *right = nullptr;
  Node *parent = nullptr;
  Node *twin = nullptr;
  std::uint64_t key = 0;
};
using Tree = links<owns<&Node::left, &Node::right>, refers<&Node::parent>>;
using Twins = links<owns<&Node::left, &Node::right>, refers<&Node::parent, &Node::twin>>;
constexpr node_order kOrders[] = {node_order::depth_first, node_order::breadth_first,
                                  node_order::van_emde_boas, node_order::line_clusters};

void add(Node *&root, Node *node) {
  Node **place = &root;
  Node *above = nullptr;
  while (*place != nullptr) {
    above = *place;
    place = node->key < above->key ? &above->left : &above->right;
  }
  *place = node;
  node->parent = above;
}
std::size_t count(const Node *node, const Node *parent = nullptr) {
  if (node == nullptr) return 0;
  EXPECT_EQ(node->parent, parent);
  if (node->left != nullptr) {
    EXPECT_LE(node->left->key, node->key);
  }
  if (node->right != nullptr) {
    EXPECT_GE(node->right->key, node->key);
  }
  if (node->twin != nullptr) {
    EXPECT_EQ(node->twin->key, node->key ^ 1);
  }
  return 1 + count(node->left, node) + count(node->right, node);
}
void each(Node *node, const auto &use) {
  if (node == nullptr) return;
  Node *const left = node->left;
  Node *const right = node->right;
  use(node);
  each(left, use);
  each(right, use);
}
constexpr std::size_t kPairs = 3000;
Node *grow(const auto &make) {
  support::Random random(1);
  Node *root = nullptr;
  for (std::size_t i = 0; i < kPairs; ++i) {
    Node *one = make();
    Node *other = make();
    one->key = random.below(1'000'000) * 2;
    other->key = one->key + 1;
    one->twin = other;
    other->twin = one;
    add(root, one);
    add(root, other);
  }
  return root;
}

TEST(Relayout, PermutesNodesAmongTheirOwnBlocks) {
  for (const node_order order : kOrders) {
    Node *root = grow([] { return new Node; });
    Node *watched = root->left;
    const std::uint64_t key = watched->key;
    std::vector<Node *> before;
    each(root, [&](Node *node) { before.push_back(node); });
    EXPECT_EQ(relayout<Twins>({&root, &watched}, order), 2 * kPairs);
    EXPECT_EQ(count(root), 2 * kPairs);
    EXPECT_EQ(watched, root->left);
    EXPECT_EQ(watched->key, key);
    std::vector<Node *> after;
    each(root, [&](Node *node) { after.push_back(node); });
    if (order == node_order::depth_first) {
      EXPECT_TRUE(std::is_sorted(after.begin(), after.end()));
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(before, after);
    each(root, [](Node *node) { delete node; });
  }
}

std::size_t same_line(Node *root) {
  std::size_t together = 0;
  each(root, [&](Node *node) {
    const auto pair = [](Node *n) { return reinterpret_cast<std::uintptr_t>(n) / 128; };
    together += node->parent != nullptr && pair(node) == pair(node->parent);
  });
  return together;
}

TEST(Relayout, FillsLinesWithClusters) {
  node_arena<Node> arena;
  Node *root = grow([&] { return arena.make(); });
  EXPECT_LT(same_line(root), kPairs); // pairs are born together
  relayout<Twins>(arena, root, node_order::line_clusters);
  EXPECT_EQ(count(root), 2 * kPairs);
  EXPECT_GT(same_line(root), kPairs * 11 / 10); // of three nodes, at most two
  EXPECT_EQ(arena.size(), 2 * kPairs);
  each(root, [&](Node *node) { arena.destroy(node); });
  EXPECT_EQ(arena.bytes(), 0u);
}

TEST(Relayout, OrdersAreWhatTheyAreCalled) {
  // A perfect tree of four levels, nodes numbered level by level.
  const auto lay_out = [](node_order order) {
    node_arena<Node> arena;
    std::vector<Node *> nodes;
    for (std::uint64_t i = 0; i < 15; ++i) {
      nodes.push_back(arena.make());
      nodes[i]->key = i;
      if (i > 0) (i % 2 == 1 ? nodes[(i - 1) / 2]->left : nodes[(i - 1) / 2]->right) = nodes[i];
    }
    relayout<Twins>(arena, nodes[0], order);
    std::vector<std::pair<Node *, std::uint64_t>> found;
    each(nodes[0], [&](Node *node) { found.emplace_back(node, node->key); });
    std::sort(found.begin(), found.end());
    std::vector<std::uint64_t> keys;
    for (const auto &[node, key] : found) keys.push_back(key);
    return keys;
  };
  using Keys = std::vector<std::uint64_t>;
  EXPECT_EQ(lay_out(node_order::depth_first),
            (Keys{0, 1, 3, 7, 8, 4, 9, 10, 2, 5, 11, 12, 6, 13, 14}));
  EXPECT_EQ(lay_out(node_order::breadth_first),
            (Keys{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
  EXPECT_EQ(lay_out(node_order::van_emde_boas),
            (Keys{0, 1, 2, 3, 7, 8, 4, 9, 10, 5, 11, 12, 6, 13, 14}));
}

TEST(Relayout, SharedNodesStayShared) {
  node_arena<Node> arena;
  Node *root = arena.make();
  root->left = arena.make();
  root->right = arena.make();
  root->left->left = root->right->right = arena.make();
  root->left->left->key = 7;
  EXPECT_EQ(relayout<Twins>(arena, root), 4u);
  EXPECT_EQ(root->left->left, root->right->right);
  EXPECT_EQ(root->left->left->key, 7u);
  EXPECT_EQ(arena.size(), 4u);
}

TEST(Relayout, ARootMayBeNamedTwice) {
  std::unique_ptr<Node[]> nodes(new Node[3]);
  Node *root = &nodes[1]; // the order of nodes is 1, 2, 0
  root->left = &nodes[2];
  root->right = &nodes[0];
  root->left->parent = root->right->parent = root;
  for (std::uint64_t i = 0; i < 3; ++i) nodes[i].key = 10 - i;
  std::swap(nodes[1].key, nodes[2].key); // 10, 8, 9
  EXPECT_EQ(relayout<Tree>({&root, &root}), 3u);
  EXPECT_EQ(root, &nodes[0]);
  EXPECT_EQ(root->key, 8u);
}

TEST(Relayout, GoesStepByStepWhileTheStructureChanges) {
  for (const node_order order : {node_order::depth_first, node_order::line_clusters}) {
    node_arena<Node> arena;
    support::Random random(2);
    Node *root = grow([&] { return arena.make(); });
    each(root, [](Node *node) { node->twin = nullptr; });
    std::size_t nodes = 2 * kPairs;
    incremental_relayout<Node, Tree> pass(arena, root, order);
    while (!pass.done()) {
      EXPECT_LE(pass.step(50), 52u);
      Node *added = arena.make();
      added->key = random.below(2'000'000);
      add(root, added);
      Node *leaf = root;
      while (leaf->left != nullptr || leaf->right != nullptr)
        leaf = leaf->right == nullptr || (leaf->left != nullptr && random.below(2) == 0)
                   ? leaf->left
                   : leaf->right;
      pass.forget(leaf);
      (leaf->parent->left == leaf ? leaf->parent->left : leaf->parent->right) = nullptr;
      arena.destroy(leaf);
      if (random.below(3) == 0) ++nodes, add(root, arena.make());
      ASSERT_EQ(count(root), nodes);
    }
    EXPECT_EQ(arena.size(), nodes);
    if (order == node_order::line_clusters) {
      EXPECT_GT(same_line(root), kPairs * 2 / 3);
    }
  }
}

TEST(Relayout, AStepThatFindsNoMemoryIsMadeAgain) {
  node_arena<Node> arena;
  Node *root = grow([&] { return arena.make(); });
  each(root, [](Node *node) { node->twin = node; }); // where it was
  incremental_relayout<Node, Tree> pass(arena, root, node_order::line_clusters);
  while (!pass.done()) {
    refuses_chunks = true;
    try {
      while (!pass.done()) pass.step(50);
    } catch (const std::bad_alloc &) {
      refuses_chunks = false;
      pass.step(1);
    }
  }
  refuses_chunks = false;
  std::size_t unmoved = 0; // a few may come to lie in memory that is used again
  each(root, [&](Node *node) { unmoved += std::exchange(node->twin, nullptr) == node; });
  EXPECT_LT(unmoved, kPairs / 100);
  EXPECT_EQ(count(root), 2 * kPairs);
}

struct Named {
  std::unique_ptr<std::string> name;
  Named *next = nullptr;
};
TEST(Relayout, NodesThatOwnMoreMove) {
  using Chain = links<owns<&Named::next>>;
  Named *first = nullptr;
  for (int i = 0; i < 100; ++i)
    first = new Named{std::make_unique<std::string>(std::to_string(i)), first};
  relayout<Chain>(first);
  for (int i = 100; i-- > 0;) {
    EXPECT_EQ(*first->name, std::to_string(i));
    delete std::exchange(first, first->next);
  }
}

struct Shared {
  Shared *first = nullptr, *second = nullptr;
};
TEST(Relayout, WhatIsReachedOnALongerWayIsLaidOutToo) {
  using Graph = links<owns<&Shared::first, &Shared::second>>;
  for (const node_order order : kOrders) {
    node_arena<Shared> arena;
    Shared *last = arena.make(nullptr, nullptr);
    Shared *third = arena.make(last, nullptr);
    Shared *second = arena.make(third, nullptr);
    Shared *root = arena.make(arena.make(second, nullptr), second);
    third->second = root;
    EXPECT_EQ(relayout<Graph>(arena, root, order), 5u);
    EXPECT_EQ(root->second, root->first->first);
    EXPECT_EQ(root->second->first->second, root);
  }
}

struct Large {
  Large *left = nullptr, *right = nullptr;
  int key = 0;
  char rest[4096] = {}; // so that what is given back goes back at once
};
TEST(Relayout, BetweenStepsWhatIsLaidOutMayComeBelowWhatIsNot) {
  using Links = links<owns<&Large::left, &Large::right>>;
  node_arena<Large> arena;
  const auto make = [&](Large *left, Large *right, int key) {
    Large *node = arena.make();
    node->left = left;
    node->right = right;
    node->key = key;
    return node;
  };
  Large *root = make(make(make(nullptr, nullptr, 1), make(nullptr, nullptr, 3), 2),
                     make(make(nullptr, nullptr, 5), make(nullptr, nullptr, 7), 6), 4);
  incremental_relayout<Large, Links> pass(arena, root);
  pass.step(2);
  Large *left = root->left;
  root->left = std::exchange(left->right, root);
  root = left;
  while (!pass.done()) pass.step(1);
  EXPECT_EQ(arena.size(), 7u);
  EXPECT_EQ(root->key, 2);
  EXPECT_EQ(root->left->key, 1);
  EXPECT_EQ(root->right->key, 4);
  EXPECT_EQ(root->right->left->key, 3);
  EXPECT_EQ(root->right->right->right->key, 7);
}

} // namespace
} // namespace abut
