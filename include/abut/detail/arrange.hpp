// In which order the nodes of a structure are to lie, and where each of them was.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::detail {

// Addresses of nodes, and a number for each. Open addressing; nothing is taken out.
template <typename Node>
class AddressMap {
public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // False if it was there already.
  bool add(Node *node, std::uint32_t number) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    Entry &entry = entries_[slot(node)];
    if (entry.node == node) return false;
    entry = {node, number};
    ++count_;
    return true;
  }
  std::uint32_t find(const Node *node) const noexcept {
    if (entries_.empty() || node == nullptr) return kNone;
    const Entry &entry = entries_[slot(node)];
    return entry.node == node ? entry.number : kNone;
  }
  void prefetch(const Node *node) const noexcept {
    if (!entries_.empty()) __builtin_prefetch(&entries_[first_slot(node)]);
  }

private:
  struct Entry {
    Node *node = nullptr;
    std::uint32_t number = 0;
  };
  std::size_t first_slot(const Node *node) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(node) / alignof(Node);
    return static_cast<std::size_t>((address * 0x9e3779b97f4a7c15u) >> shift_);
  }
  std::size_t slot(const Node *node) const noexcept {
    std::size_t at = first_slot(node);
    while (entries_[at].node != nullptr && entries_[at].node != node)
      at = (at + 1) & (entries_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 2);
    old.swap(entries_);
    shift_ = static_cast<unsigned>(64 - std::countr_zero(entries_.size()));
    for (const Entry &entry : old) {
      if (entry.node != nullptr) entries_[slot(entry.node)] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
  unsigned shift_ = 64;
};

// Collects what is reached from roots through the owned links, each node once.
template <typename Node, typename Links>
class Arrangement {
public:
  std::vector<Node *> nodes;               // as they are to lie
  std::vector<std::uint32_t> cluster_ends; // with clusters: behind which of them each ends
  AddressMap<Node> numbers;

  void depth_first(Node *root) {
    std::vector<Node *> waiting{root};
    while (!waiting.empty()) {
      Node *node = waiting.back();
      waiting.pop_back();
      if (take(node)) push_reversed(node, waiting);
    }
  }
  void breadth_first(Node *root) {
    std::vector<Node *> queue{root};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      if (take(queue[next])) push(queue[next], queue);
    }
  }
  // Clusters of up to `most` nodes: a node and the next of its descendants, level by level; clusters depth-first.
  void clusters(Node *root, std::size_t most) {
    std::vector<Node *> waiting{root};
    std::vector<Node *> queue;
    while (!waiting.empty()) {
      queue.assign(1, waiting.back());
      waiting.pop_back();
      std::size_t next = 0;
      const std::size_t first = nodes.size();
      for (; next < queue.size() && nodes.size() - first < most; ++next) {
        if (take(queue[next])) push(queue[next], queue);
      }
      if (nodes.size() > first) cluster_ends.push_back(static_cast<std::uint32_t>(nodes.size()));
      waiting.insert(waiting.end(), queue.rbegin(),
                     queue.rend() - static_cast<std::ptrdiff_t>(next));
    }
  }
  // The upper half of the levels first, then each subtree below it, and each half in the same way.
  void van_emde_boas(Node *root) {
    // What is reached on a longer way than the shortest lies below the last level.
    std::vector<Node *> waiting{root}, below;
    while (!waiting.empty()) {
      below.clear();
      for (Node *node : waiting) halve(node, height(node), below);
      waiting.swap(below);
    }
  }

private:
  bool take(Node *node) {
    if (!numbers.add(node, static_cast<std::uint32_t>(nodes.size()))) return false;
    nodes.push_back(node);
    return true;
  }
  static void push(Node *node, std::vector<Node *> &to) {
    Links::owned(*node, [&](Node *&link) {
      if (link == nullptr) return;
      __builtin_prefetch(link);
      to.push_back(link);
    });
  }
  static void push_reversed(Node *node, std::vector<Node *> &to) {
    const auto before = static_cast<std::ptrdiff_t>(to.size());
    push(node, to);
    std::reverse(to.begin() + before, to.end());
  }
  std::size_t height(Node *root) const {
    AddressMap<Node> seen;
    std::vector<Node *> level{root};
    std::vector<Node *> next;
    std::size_t levels = 0;
    for (; !level.empty(); ++levels) {
      next.clear();
      for (Node *node : level) {
        if (numbers.find(node) == AddressMap<Node>::kNone && seen.add(node, 0)) push(node, next);
      }
      level.swap(next);
    }
    return levels;
  }
  void halve(Node *root, std::size_t levels, std::vector<Node *> &below) {
    if (levels <= 1) {
      if (take(root)) push(root, below);
      return;
    }
    std::vector<Node *> middle;
    halve(root, levels / 2, middle);
    for (Node *node : middle) halve(node, levels - levels / 2, below);
  }
};

} // namespace abut::detail
