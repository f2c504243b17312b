// A binary tree with an array of integers at every node, allocated apart from it (Cyll's traverse).
// Built depth-first from the left, traversed depth-first from the right: use runs against the
// order of birth.
#include "common/aged.hpp"
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"

#include <cinttypes>
#include <cstdio>

using bench::Checksum;

namespace {

struct Settings {
  std::uint64_t depth = 17;
  std::uint64_t walks = 10;
  std::uint64_t integers = 20;
  std::uint64_t aged = 0;
  std::uint64_t seed = 1;
  bool times = false;
};

struct Node {
  Node *left;
  Node *right;
  int *values;
};

Node *build(std::uint64_t depth, std::uint64_t integers, const Node *parent) {
  if (depth == 0) return nullptr;
  auto *node = static_cast<Node *>(bench::allocate_bytes_near(sizeof(Node), parent));
  node->values = static_cast<int *>(bench::allocate_bytes_near(integers * sizeof(int), node));
  for (std::uint64_t i = 0; i < integers; ++i) node->values[i] = static_cast<int>(depth + i);
  node->left = build(depth - 1, integers, node);
  node->right = build(depth - 1, integers, node);
  return node;
}

void add_one(Node *node, std::uint64_t integers) {
  for (; node != nullptr; node = node->left) {
    for (std::uint64_t i = 0; i < integers; ++i) ++node->values[i];
    add_one(node->right, integers);
  }
}

// What a walk uses, in its order.
void ping_all(const Node *node) {
  for (; node != nullptr; node = node->left) {
    ping(node, 1);
    ping(node->values, 1);
    ping_all(node->right);
  }
}

void sum_up(const Node *node, std::uint64_t integers, Checksum &sum) {
  for (; node != nullptr; node = node->left) {
    for (std::uint64_t i = 0; i < integers; ++i)
      sum.add(static_cast<std::uint64_t>(node->values[i]));
    sum_up(node->right, integers, sum);
  }
}

void destroy(Node *node) {
  if (node == nullptr) return;
  destroy(node->right);
  destroy(node->left);
  std::free(node->values);
  std::free(node);
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("traverse", "Builds a binary tree from the left, walks it from the right, "
                                     "adding 1 to every integer.");
  options.number("depth", settings.depth, {1, 30}, "layers of the tree");
  options.number("walks", settings.walks, {0, 1'000'000}, "traversals");
  options.number("integers", settings.integers, {1, 1'000'000}, "integers a node");
  options.number("aged", settings.aged, {0, bench::AgedHeap::kMostBytes}, bench::AgedHeap::kHelp);
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the aged heap");
  options.flag("hints", bench::hints, "name a friend for each node, which abut's heap hears of");
  options.flag("pings", bench::pings, "tell abut's heap what is used, in one walk of those");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  const bench::AgedHeap aged(settings.aged, settings.seed);
  bench::Phases phases(settings.times);
  phases.begin("build");
  Node *root = build(settings.depth, settings.integers, nullptr);
  if (bench::pings) ping_all(root);
  phases.begin("walk");
  for (std::uint64_t i = 0; i < settings.walks; ++i) add_one(root, settings.integers);
  Checksum sum;
  sum_up(root, settings.integers, sum);
  phases.begin("free");
  destroy(root);
  std::printf("depth %" PRIu64 " walks %" PRIu64 " checksum %016" PRIx64 "\n", settings.depth,
              settings.walks, sum.value());
}
