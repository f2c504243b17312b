// DICT as a B-tree, whose nodes hold keys, values and links side by side in one or two lines (Adcock 2009, 3.5.1; after
// Cormen, Leiserson and Rivest): what is full is parted on the way down, what has few is filled up on the way down.
#include "adcock/move/parts/reserve.hpp"
#include "move/dict.hpp"

#include <algorithm>
#include <cstdlib>

namespace bench {
namespace {

template <std::uint32_t kBytes>
class BTree {
  // An odd number of keys, of which 128 bytes hold 9: a word, keys, values, and a link more than these.
  static constexpr std::uint32_t kMost = ((kBytes / 4 - 2) / 3 - 1) | 1;
  static constexpr std::uint32_t kLeast = (kMost - 1) / 2;
  struct alignas(kBytes) Node {
    std::uint16_t count = 0;
    bool leaf = true;
    std::uint32_t keys[kMost] = {};
    std::uint32_t values[kMost] = {};
    std::uint32_t child[kMost + 1] = {};
  };
  static_assert(sizeof(Node) == kBytes);

public:
  explicit BTree(const DictSettings &settings) : most_(settings.nodes / kLeast + 64) {
    root_ = make(true);
  }

  // The keys of DICT may repeat: equal ones lie on either side of each other.
  void insert(std::uint32_t key) {
    if (nodes_[root_].count == kMost) {
      const std::uint32_t old = root_;
      root_ = make(false);
      nodes_[root_].child[0] = old;
      part(root_, 0);
    }
    std::uint32_t at = root_;
    ++size_;
    while (!nodes_[at].leaf) {
      std::uint32_t i = upper(nodes_[at], key);
      if (nodes_[nodes_[at].child[i]].count == kMost) {
        part(at, i);
        if (key >= nodes_[at].keys[i]) ++i;
      }
      at = nodes_[at].child[i];
    }
    put(nodes_[at], upper(nodes_[at], key), key, key);
  }
  void built() {}
  void look_up(std::uint32_t key) {
    std::uint32_t at = root_;
    for (;;) {
      const Node &node = nodes_[at];
      const std::uint32_t i = lower(node, key);
      if (i < node.count && node.keys[i] == key) {
        seen_ += node.values[i];
        return;
      }
      if (node.leaf) std::abort();
      at = node.child[i];
    }
  }
  void pass_over(std::uint32_t /*key*/) {}
  void replace(std::uint32_t old, std::uint32_t key) {
    erase(root_, old);
    if (nodes_[root_].count == 0 && !nodes_[root_].leaf) {
      const std::uint32_t gone = root_;
      root_ = nodes_[root_].child[0];
      drop(gone);
    }
    --size_;
    insert(key);
  }
  void visit(std::uint32_t key, Visits &visits) {
    for (std::uint32_t at = root_;;) {
      const Node &node = nodes_[at];
      visits.add(&node);
      visits.add(&node.keys[kMost]); // the other line of the pair
      const std::uint32_t i = lower(node, key);
      if (node.leaf || (i < node.count && node.keys[i] == key)) return;
      at = node.child[i];
    }
  }
  void work(std::uint64_t /*done*/) {}
  void lay_out() {}
  // As though each key were a node of 16 bytes.
  double ratio() const {
    return static_cast<double>(count_ - free_.size()) * sizeof(Node) /
           (16.0 * static_cast<double>(size_));
  }

private:
  static std::uint32_t lower(const Node &node, std::uint32_t key) {
    std::uint32_t i = 0;
    while (i < node.count && node.keys[i] < key) ++i;
    return i;
  }
  static std::uint32_t upper(const Node &node, std::uint32_t key) {
    std::uint32_t i = 0;
    while (i < node.count && node.keys[i] <= key) ++i;
    return i;
  }
  std::uint32_t make(bool leaf) {
    std::uint32_t made = count_;
    if (free_.empty()) {
      nodes_.grow_to(++count_, most_);
    } else {
      made = free_.back();
      free_.pop_back();
    }
    nodes_[made] = Node{};
    nodes_[made].leaf = leaf;
    return made;
  }
  void drop(std::uint32_t node) { free_.push_back(node); }

  static void put(Node &node, std::uint32_t i, std::uint32_t key, std::uint32_t value) {
    std::copy_backward(node.keys + i, node.keys + node.count, node.keys + node.count + 1);
    std::copy_backward(node.values + i, node.values + node.count, node.values + node.count + 1);
    node.keys[i] = key;
    node.values[i] = value;
    ++node.count;
  }
  static void take(Node &node, std::uint32_t i) {
    std::copy(node.keys + i + 1, node.keys + node.count, node.keys + i);
    std::copy(node.values + i + 1, node.values + node.count, node.values + i);
    --node.count;
  }

  // Two children of the full one at `i`.
  void part(std::uint32_t parent, std::uint32_t i) {
    const std::uint32_t left = nodes_[parent].child[i];
    const std::uint32_t right = make(nodes_[left].leaf);
    Node &a = nodes_[left];
    Node &b = nodes_[right];
    constexpr std::uint32_t kMiddle = kMost / 2;
    b.count = kMost - kMiddle - 1;
    std::copy(a.keys + kMiddle + 1, a.keys + kMost, b.keys);
    std::copy(a.values + kMiddle + 1, a.values + kMost, b.values);
    std::copy(a.child + kMiddle + 1, a.child + kMost + 1, b.child);
    a.count = kMiddle;
    Node &above = nodes_[parent];
    std::copy_backward(above.child + i + 1, above.child + above.count + 1,
                       above.child + above.count + 2);
    above.child[i + 1] = right;
    put(above, i, a.keys[kMiddle], a.values[kMiddle]);
  }
  // One child of those at `i` and `i + 1`.
  void join(std::uint32_t parent, std::uint32_t i) {
    Node &above = nodes_[parent];
    const std::uint32_t right = above.child[i + 1];
    Node &a = nodes_[above.child[i]];
    const Node &b = nodes_[right];
    a.keys[a.count] = above.keys[i];
    a.values[a.count] = above.values[i];
    std::copy(b.keys, b.keys + b.count, a.keys + a.count + 1);
    std::copy(b.values, b.values + b.count, a.values + a.count + 1);
    std::copy(b.child, b.child + b.count + 1, a.child + a.count + 1);
    a.count = static_cast<std::uint16_t>(a.count + b.count + 1);
    std::copy(above.child + i + 2, above.child + above.count + 1, above.child + i + 1);
    take(above, i);
    drop(right);
  }
  // Sees to it that the child at `i` has a key to spare; where it is then.
  std::uint32_t fill_up(std::uint32_t parent, std::uint32_t i) {
    Node &above = nodes_[parent];
    if (nodes_[above.child[i]].count > kLeast) return i;
    if (i > 0 && nodes_[above.child[i - 1]].count > kLeast) {
      Node &from = nodes_[above.child[i - 1]];
      Node &to = nodes_[above.child[i]];
      std::copy_backward(to.child, to.child + to.count + 1, to.child + to.count + 2);
      to.child[0] = from.child[from.count];
      put(to, 0, above.keys[i - 1], above.values[i - 1]);
      above.keys[i - 1] = from.keys[from.count - 1];
      above.values[i - 1] = from.values[from.count - 1];
      --from.count;
      return i;
    }
    if (i < above.count && nodes_[above.child[i + 1]].count > kLeast) {
      Node &from = nodes_[above.child[i + 1]];
      Node &to = nodes_[above.child[i]];
      put(to, to.count, above.keys[i], above.values[i]);
      to.child[to.count] = from.child[0];
      above.keys[i] = from.keys[0];
      above.values[i] = from.values[0];
      std::copy(from.child + 1, from.child + from.count + 1, from.child);
      take(from, 0);
      return i;
    }
    if (i == above.count) --i;
    join(parent, i);
    return i;
  }

  void erase(std::uint32_t at, std::uint32_t key) {
    for (;;) {
      const std::uint32_t i = lower(nodes_[at], key);
      const bool here = i < nodes_[at].count && nodes_[at].keys[i] == key;
      if (nodes_[at].leaf) {
        if (here) take(nodes_[at], i);
        return;
      }
      if (here && nodes_[nodes_[at].child[i]].count > kLeast) {
        take_neighbour(at, i, 0);
        return;
      }
      if (here && nodes_[nodes_[at].child[i + 1]].count > kLeast) {
        take_neighbour(at, i, 1);
        return;
      }
      if (here) {
        join(at, i);
        at = nodes_[at].child[i];
      } else {
        at = nodes_[at].child[fill_up(at, i)];
      }
    }
  }
  // The key at `i` gives way to the one before it in order (side 0), or behind it.
  void take_neighbour(std::uint32_t at, std::uint32_t i, unsigned side) {
    std::uint32_t below = nodes_[at].child[i + side];
    while (!nodes_[below].leaf) {
      below = nodes_[below].child[fill_up(below, side == 0 ? nodes_[below].count : 0u)];
    }
    Node &leaf = nodes_[below];
    const std::uint32_t which = side == 0 ? leaf.count - 1u : 0u;
    nodes_[at].keys[i] = leaf.keys[which];
    nodes_[at].values[i] = leaf.values[which];
    take(leaf, which);
  }

  std::size_t most_;
  adcock::move::ReserveArray<Node> nodes_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> free_;
  std::uint32_t root_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t seen_ = 0;
};

} // namespace

bool run_dict_btree(const DictSettings &settings) {
  if (settings.mover == "btree")
    DictProgram<BTree<128>>(settings).run();
  else if (settings.mover == "btree-64")
    DictProgram<BTree<64>>(settings).run();
  else if (settings.mover == "btree-256")
    DictProgram<BTree<256>>(settings).run();
  else if (settings.mover == "btree-512")
    DictProgram<BTree<512>>(settings).run();
  else
    return false;
  return true;
}

} // namespace bench
