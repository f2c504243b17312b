#include "shapes.hpp"

#include <utility>
#include <vector>

namespace plain {

namespace {

class WalkSum {
public:
  void add(std::uint64_t read) { sum_ = sum_ * 31 + read; }
  std::uint64_t value() const { return sum_; }

private:
  std::uint64_t sum_ = 0;
};

// Singly linked: appended at its end, or each node put behind one that is drawn.
class List : public Shape {
public:
  using Shape::Shape;

  void build(std::uint64_t nodes, bool at_random, bench::Random &random) override {
    std::vector<Node *> made(at_random ? nodes : 1);
    Node *last = head_ = made[0] = maker().make(0);
    for (std::uint64_t i = 1; i < nodes; ++i) {
      Node *node = maker().make(i);
      if (at_random) {
        last = made[random.below(i)];
        made[i] = node;
      }
      node->next = std::exchange(last->next, node);
      last = node;
    }
  }

  std::uint64_t walk() override {
    WalkSum sum;
    for (Node *node = head_; node != nullptr; node = node->next) sum.add(maker().read(node));
    return sum.value();
  }

  void free() override {
    while (head_ != nullptr) maker().free(std::exchange(head_, head_->next));
  }

private:
  Node *head_ = nullptr;
};

// A binary search tree, walked from the root down: made so, or by inserting keys that are drawn.
class Tree : public Shape {
public:
  using Shape::Shape;

  void build(std::uint64_t nodes, bool at_random, bench::Random &random) override {
    if (!at_random) {
      root_ = balanced(0, nodes);
      return;
    }
    for (std::uint64_t i = 0; i < nodes; ++i) {
      const std::uint64_t key = random.next();
      Node **place = &root_;
      while (*place != nullptr) place = key < (*place)->value ? &(*place)->next : &(*place)->other;
      *place = maker().make(key);
    }
  }

  std::uint64_t walk() override {
    WalkSum sum;
    walk_from(root_, sum);
    return sum.value();
  }

  void free() override { free_from(std::exchange(root_, nullptr)); }

private:
  Node *balanced(std::uint64_t low, std::uint64_t high) {
    if (low == high) return nullptr;
    const std::uint64_t middle = low + (high - low) / 2;
    Node *node = maker().make(middle);
    node->next = balanced(low, middle);
    node->other = balanced(middle + 1, high);
    return node;
  }

  void walk_from(Node *node, WalkSum &sum) {
    if (node == nullptr) return;
    sum.add(maker().read(node));
    walk_from(node->next, sum);
    walk_from(node->other, sum);
  }

  void free_from(Node *node) {
    if (node == nullptr) return;
    free_from(node->next);
    free_from(node->other);
    maker().free(node);
  }

  Node *root_ = nullptr;
};

// Elements with children; their attributes and texts are the nodes' parts. Read from a file in the
// order of the walk, or each put under an element that is drawn, as a program would edit it.
class Document : public Shape {
public:
  using Shape::Shape;

  void build(std::uint64_t nodes, bool at_random, bench::Random &random) override {
    root_ = maker().make(0);
    std::uint64_t made = 1;
    if (!at_random) {
      while (made < nodes) attach_first(root_, read_element(nodes, made, kMostDepth, random));
      return;
    }
    std::vector<Node *> all(nodes);
    all[0] = root_;
    for (; made < nodes; ++made) {
      all[made] = maker().make(made);
      attach_first(all[random.below(made)], all[made]);
    }
  }

  std::uint64_t walk() override {
    WalkSum sum;
    walk_from(root_, sum);
    return sum.value();
  }

  void free() override { free_from(std::exchange(root_, nullptr)); }

private:
  static constexpr int kMostDepth = 6;

  static void attach_first(Node *parent, Node *child) {
    child->next = std::exchange(parent->other, child);
  }

  // An element and what it contains, children in the order in which they are made.
  Node *read_element(std::uint64_t nodes, std::uint64_t &made, int depth, bench::Random &random) {
    Node *element = maker().make(made++);
    if (depth == 0) return element;
    Node **last = &element->other;
    for (std::uint64_t left = random.below(5); left > 0 && made < nodes; --left) {
      *last = read_element(nodes, made, depth - 1, random);
      last = &(*last)->next;
    }
    return element;
  }

  void walk_from(Node *element, WalkSum &sum) {
    sum.add(maker().read(element));
    for (Node *child = element->other; child != nullptr; child = child->next) walk_from(child, sum);
  }

  void free_from(Node *element) {
    for (Node *child = element->other; child != nullptr;)
      free_from(std::exchange(child, child->next));
    maker().free(element);
  }

  Node *root_ = nullptr;
};

// Chains of two nodes in the mean, walked bucket by bucket; keys that ascend fill one bucket after
// another, keys that are drawn any.
class Hash : public Shape {
public:
  using Shape::Shape;

  void build(std::uint64_t nodes, bool at_random, bench::Random &random) override {
    buckets_.resize(nodes / 2 + 1);
    for (std::uint64_t i = 0; i < nodes; ++i) {
      Node *node = maker().make(i);
      Node **place = &buckets_[at_random ? random.below(buckets_.size()) : i / 2];
      while (*place != nullptr) place = &(*place)->next;
      *place = node;
    }
  }

  std::uint64_t walk() override {
    WalkSum sum;
    for (Node *chain : buckets_)
      for (Node *node = chain; node != nullptr; node = node->next) sum.add(maker().read(node));
    return sum.value();
  }

  void free() override {
    for (Node *chain : buckets_)
      for (Node *node = chain; node != nullptr;) maker().free(std::exchange(node, node->next));
  }

private:
  std::vector<Node *> buckets_;
};

// An array of pointers, in the order of birth or shuffled, as sorting by a key would leave it.
class Vector : public Shape {
public:
  using Shape::Shape;

  void build(std::uint64_t nodes, bool at_random, bench::Random &random) override {
    nodes_.resize(nodes);
    for (std::uint64_t i = 0; i < nodes; ++i) nodes_[i] = maker().make(i);
    if (at_random) bench::shuffle(nodes_.data(), nodes, random);
  }

  std::uint64_t walk() override {
    WalkSum sum;
    for (Node *node : nodes_) sum.add(maker().read(node));
    return sum.value();
  }

  void free() override {
    for (Node *node : nodes_) maker().free(node);
  }

private:
  std::vector<Node *> nodes_;
};

} // namespace

std::unique_ptr<Shape> make_shape(std::string_view name, Maker &maker) {
  if (name == "list") return std::make_unique<List>(maker);
  if (name == "tree") return std::make_unique<Tree>(maker);
  if (name == "document") return std::make_unique<Document>(maker);
  if (name == "hash") return std::make_unique<Hash>(maker);
  return std::make_unique<Vector>(maker);
}

} // namespace plain
