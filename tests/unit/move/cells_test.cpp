// The C functions: nodes near each other, and laid out again.
#include "adcock/move/cells.h"

#include "adcock/move/heap_family.hpp"

#include <cerrno>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace {

struct Node {
  Node *left;
  Node *right;
  std::uint64_t key;
};
constexpr adcock_cells_links kTree{
    2, {offsetof(Node, left), offsetof(Node, right)}, nullptr, nullptr};

std::uintptr_t line_of(const void *node) { return reinterpret_cast<std::uintptr_t>(node) / 64; }

class Cells : public testing::Test {
protected:
  ~Cells() override { adcock_cells_delete(cells_); }

  Node *make(std::uint64_t key, Node *left = nullptr, Node *right = nullptr,
             const void *near = nullptr) {
    auto *node = static_cast<Node *>(adcock_cells_allocate(cells_, near));
    *node = {left, right, key};
    return node;
  }
  // A tree of the keys [from, to), built so that parents are far from children.
  Node *build(std::uint64_t from, std::uint64_t to) {
    if (from == to) return nullptr;
    const std::uint64_t middle = from + (to - from) / 2;
    Node *left = build(from, middle);
    Node *right = build(middle + 1, to);
    return make(middle, left, right);
  }
  static std::uint64_t check(const Node *node, std::uint64_t next) {
    if (node == nullptr) return next;
    next = check(node->left, next);
    EXPECT_EQ(node->key, next);
    return check(node->right, next + 1);
  }

  adcock_cells *cells_ = adcock_cells_new(sizeof(Node));
};

TEST_F(Cells, ANodeLiesInTheLineOfItsFriend) {
  const Node *one = make(1);
  const Node *other = make(2);
  const Node *near = make(3, nullptr, nullptr, one);
  EXPECT_NE(line_of(one), line_of(other));
  EXPECT_EQ(line_of(near), line_of(one));
  EXPECT_EQ(adcock_cells_nodes(cells_), 3u);
}

TEST_F(Cells, ATreeIsWholeAndInFewerLinesAfterItWasLaidOutAnew) {
  Node *root = build(0, 1000);
  std::size_t moved = 0;
  adcock_cells_links links = kTree;
  links.user = &moved;
  links.moved = [](void *count, void * /*from*/, void * /*to*/) {
    ++*static_cast<std::size_t *>(count);
  };
  void *roots[] = {root, nullptr};
  EXPECT_EQ(adcock_cells_relayout(cells_, roots, 2, &links), 1000u);
  EXPECT_EQ(moved, 1000u);
  root = static_cast<Node *>(roots[0]);
  EXPECT_EQ(check(root, 0), 1000u);
  EXPECT_EQ(line_of(root), line_of(root->left));
  EXPECT_EQ(roots[1], nullptr);
}

TEST_F(Cells, AListLiesEndToEnd) {
  Node *first = nullptr;
  for (std::uint64_t key = 0; key < 500; ++key) first = make(key, first);
  const adcock_cells_links links{1, {offsetof(Node, left)}, nullptr, nullptr};
  void *roots[] = {first};
  EXPECT_EQ(adcock_cells_relayout(cells_, roots, 1, &links), 500u);
  std::uint64_t key = 500;
  std::set<std::uintptr_t> lines;
  for (const auto *node = static_cast<Node *>(roots[0]); node != nullptr; node = node->left) {
    EXPECT_EQ(node->key, --key);
    lines.insert(line_of(node));
  }
  EXPECT_EQ(lines.size(), 250u); // two nodes of 24 bytes a line
}

TEST_F(Cells, WhatIsFreedIsUsedAgain) {
  std::vector<Node *> nodes;
  for (std::uint64_t key = 0; key < 2000; ++key) nodes.push_back(make(key));
  const std::size_t bytes = adcock_cells_bytes(cells_);
  for (Node *node : nodes) adcock_cells_free(cells_, node);
  EXPECT_EQ(adcock_cells_nodes(cells_), 0u);
  for (std::uint64_t key = 0; key < 2000; ++key) make(key);
  EXPECT_EQ(adcock_cells_bytes(cells_), bytes);
}

TEST(CellsErrors, AreToldByErrno) {
  errno = 0;
  EXPECT_EQ(adcock_cells_new(0), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(adcock_cells_new(257), nullptr);
  adcock_cells *cells = adcock_cells_new(16);
  errno = 0;
  adcock_cells_links links = kTree;
  links.offsets[1] = 3;
  EXPECT_EQ(adcock_cells_relayout(cells, nullptr, 0, &links), SIZE_MAX);
  EXPECT_EQ(errno, EINVAL);
  adcock_cells_delete(cells);
}

TEST(HeapFamily, TakesTheSmallestCellsThatFit) {
  adcock::move::HeapFamily<adcock::move::Geometry{}, 16, 48> family;
  EXPECT_EQ(family.size_for(9), 16u);
  EXPECT_EQ(family.size_for(17), 48u);
  EXPECT_EQ(family.size_for(49), 0u);
  void *one = family.allocate(10);
  void *near = family.allocate(16, one);
  EXPECT_EQ(line_of(one), line_of(near));
  void *large = family.allocate(40, one); // of another size: anywhere
  EXPECT_EQ(family.heap<48>().nodes(), 1u);
  EXPECT_THROW(family.allocate(49), std::bad_alloc);
  family.free(one, 10);
  family.free(near, 16);
  family.free(large, 40);
  EXPECT_EQ(family.heap<16>().nodes() + family.heap<48>().nodes(), 0u);
}

} // namespace
