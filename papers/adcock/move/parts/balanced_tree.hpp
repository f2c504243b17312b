// A height-balanced search tree (Adelson-Velsky and Landis) without links upwards: an update remembers its path. Only one
// link leads to a node, so that to move it is cheap. The thesis stopped at unbalanced trees.
#pragma once

#include "../relayout.hpp"
#include "../self_tuning.hpp"
#include "tree_pool.hpp"

#include <functional>

namespace adcock::move {

template <typename Key, typename Value, typename KeyOf, typename Less, TreeLayout Layout,
          typename Memory = PageMemory>
class BalancedTree {
public:
  using Shape = RdsHeap<TreeNode<Key, Value>, Geometry{Layout.line_bytes, 4096}>;
  static constexpr Needs kNeeds = SelfTuningMover<Shape, TreeLinks>::needs();
  using Pool = TreePool<Key, Value, KeyOf, Layout, kNeeds, Memory>;
  static constexpr bool kMoves = Layout.moves && Pool::kMovable;

  explicit BalancedTree(Less less, const Memory &memory = Memory())
      : less_(std::move(less)), pool_(memory), mover_(pool_, &root_) {
    pool_.bound_ratio(Layout.percent / 100.0);
    pool_.prefer_huge_pages_from(2048); // beyond 8 MiB of links and keys
  }
  ~BalancedTree() { clear(); }
  BalancedTree(const BalancedTree &) = delete;
  BalancedTree &operator=(const BalancedTree &) = delete;

  Pool &pool() { return pool_; }
  const Pool &pool() const { return pool_; }
  const Less &less() const { return less_; }
  std::size_t size() const { return pool_.nodes(); }

  template <typename K>
  CellId find(const K &key) const {
    CellId node = root_;
    while (found(node)) {
      decltype(auto) here = pool_.key(node);
      if (less_(key, here)) {
        node = child(node, 0);
      } else if (less_(here, key)) {
        node = child(node, 1);
      } else {
        return node;
      }
    }
    return kNoCell;
  }
  // The first node whose key is not less than `key`; or, if `after`, greater.
  template <typename K>
  CellId bound(const K &key, bool after) const {
    CellId node = root_;
    CellId best = kNoCell;
    while (found(node)) {
      const bool right = after ? !less_(key, pool_.key(node)) : less_(pool_.key(node), key);
      if (!right) best = node;
      node = child(node, right ? 1 : 0);
    }
    return best;
  }
  CellId outermost(CellId node, unsigned side) const {
    while (found(node) && found(child(node, side))) node = child(node, side);
    return node;
  }
  CellId first() const { return outermost(root_, 0); }
  CellId last() const { return outermost(root_, 1); }
  // The neighbour in order on a side, found from the root where it is not below.
  CellId neighbour(CellId node, unsigned side) const {
    if (const CellId below = child(node, side); found(below)) return outermost(below, 1 - side);
    CellId best = kNoCell;
    for (CellId at = root_; at != node;) {
      const bool right = less_(pool_.key(at), pool_.key(node));
      if (right != (side == 1)) best = at;
      at = child(at, right ? 1 : 0);
    }
    return best;
  }

  // The node of `key`, made by `make(cell)` if there is none; and whether it was.
  template <typename K, typename Make>
  std::pair<CellId, bool> insert(const K &key, Make make) {
    Path path;
    if (const CellId node = descend(key, path); found(node)) return {node, false};
    CellId cell = allocate(path);
    try {
      make(cell);
    } catch (...) {
      pool_.free(cell);
      throw;
    }
    set(path.places[path.depth], cell);
    rebalance_grown(path);
    if constexpr (kMoves) cell = followed(cell);
    return {cell, true};
  }

  // Takes out and destroys the node of a key that is there, after `use` has seen its value.
  template <typename K, typename Use>
  void erase(const K &key, Use use) {
    Path path;
    const CellId node = descend(key, path);
    unlink(path, node);
    use(pool_.value(node));
    pool_.destroy(node);
    if constexpr (kMoves) move_some();
  }

  void clear() noexcept {
    std::vector<CellId> waiting;
    if (found(root_)) waiting.push_back(root_);
    while (!waiting.empty()) {
      const CellId node = waiting.back();
      waiting.pop_back();
      for (unsigned side = 0; side < 2; ++side)
        if (found(child(node, side))) waiting.push_back(child(node, side));
      pool_.destroy(node);
    }
    root_ = kNoCell;
  }

  void relayout() {
    pool_.make_room();
    if constexpr (Pool::kMovable)
      adcock::move::relayout<TreeLinks>(pool_, root_, Nesting::lines_in_pages);
  }
  // Ends the program where the tree is not in order and in balance; its height.
  unsigned check() const { return check(root_); }

private:
  static constexpr unsigned kMostDepth = 48; // 1.44 * log2(2^31) + 2
  struct Path {
    Place places[kMostDepth];
    unsigned depth = 0; // places[depth] is where the key is, or would be
  };

  CellId child(CellId node, unsigned side) const { return TreeLinks::get(pool_, node, side); }
  CellId at(Place place) const {
    return found(place.owner) ? child(place.owner, place.which) : root_;
  }
  void set(Place place, CellId to) {
    if (found(place.owner)) {
      TreeLinks::set(pool_, place.owner, place.which, to);
    } else {
      root_ = to;
    }
  }

  template <typename K>
  CellId descend(const K &key, Path &path) const {
    CellId node = root_;
    path.places[0] = {};
    while (found(node)) {
      decltype(auto) here = pool_.key(node);
      unsigned side;
      if (less_(key, here)) {
        side = 0;
      } else if (less_(here, key)) {
        side = 1;
      } else {
        return node;
      }
      path.places[++path.depth] = {node, side};
      node = child(node, side);
    }
    return kNoCell;
  }

  // In the parent's line, or else in the emptiest (<L; EL> x <parent_1; true>).
  CellId allocate(const Path &path) {
    const CellId parent = path.places[path.depth].owner;
    if (found(parent))
      if (const CellId cell = pool_.take(Pool::Numbers::line_of(parent)); found(cell)) return cell;
    const LineId line = pool_.find(Emptiest<Level::line, Level::heap>{});
    if (!found(line)) throw HeapIsFull();
    return pool_.take(line);
  }

  CellId followed(CellId cell) {
    pool_.watched = cell;
    move_some();
    return std::exchange(pool_.watched, kNoCell);
  }
  // What was asked for is done: where there is no memory to move nodes to, they stay.
  void move_some() noexcept {
    try {
      mover_.updated();
    } catch (...) { // NOLINT(bugprone-empty-catch)
    }
  }

  void rebalance_grown(const Path &path) {
    for (unsigned i = path.depth; i > 0; --i) {
      const auto [node, side] = path.places[i];
      const int balance = TreeLinks::balance(pool_, node) + (side == 1 ? 1 : -1);
      if (balance == 2 || balance == -2) {
        rotate(path.places[i - 1], node, balance);
        return;
      }
      TreeLinks::set_balance(pool_, node, balance);
      if (balance == 0) return;
    }
  }
  void rebalance_shrunk(const Path &path) {
    for (unsigned i = path.depth; i > 0; --i) {
      const auto [node, side] = path.places[i];
      const int balance = TreeLinks::balance(pool_, node) - (side == 1 ? 1 : -1);
      if (balance == 2 || balance == -2) {
        if (!rotate(path.places[i - 1], node, balance)) return;
      } else {
        TreeLinks::set_balance(pool_, node, balance);
        if (balance != 0) return;
      }
    }
  }

  // Puts right the node at `place` whose one side is higher by two. False if its subtree is as high as before.
  bool rotate(Place place, CellId node, int balance) {
    const unsigned high = balance > 0 ? 1 : 0;
    const int sign = balance > 0 ? 1 : -1;
    const CellId other = child(node, high);
    const int lean = TreeLinks::balance(pool_, other);
    if (lean == -sign) {
      const CellId middle = child(other, 1 - high);
      const int middle_lean = TreeLinks::balance(pool_, middle);
      TreeLinks::set(pool_, other, 1 - high, child(middle, high));
      TreeLinks::set(pool_, node, high, child(middle, 1 - high));
      TreeLinks::set(pool_, middle, high, other);
      TreeLinks::set(pool_, middle, 1 - high, node);
      TreeLinks::set_balance(pool_, node, middle_lean == sign ? -sign : 0);
      TreeLinks::set_balance(pool_, other, middle_lean == -sign ? sign : 0);
      TreeLinks::set_balance(pool_, middle, 0);
      set(place, middle);
      return true;
    }
    TreeLinks::set(pool_, node, high, child(other, 1 - high));
    TreeLinks::set(pool_, other, 1 - high, node);
    set(place, other);
    TreeLinks::set_balance(pool_, node, lean == 0 ? sign : 0);
    TreeLinks::set_balance(pool_, other, lean == 0 ? -sign : 0);
    return lean != 0;
  }

  // Takes the node at the end of the path out of the tree.
  void unlink(Path &path, CellId node) {
    const unsigned top = path.depth;
    if (found(child(node, 0)) && found(child(node, 1))) {
      // Its successor takes its place, so that no other node's value has to move.
      path.places[++path.depth] = {node, 1};
      CellId next = child(node, 1);
      while (found(child(next, 0))) {
        path.places[++path.depth] = {next, 0};
        next = child(next, 0);
      }
      set(path.places[path.depth], child(next, 1));
      for (unsigned side = 0; side < 2; ++side)
        TreeLinks::set(pool_, next, side, child(node, side));
      TreeLinks::set_balance(pool_, next, TreeLinks::balance(pool_, node));
      set(path.places[top], next);
      path.places[top + 1].owner = next;
    } else {
      set(path.places[top], found(child(node, 0)) ? child(node, 0) : child(node, 1));
    }
    rebalance_shrunk(path);
  }

  unsigned check(CellId node) const {
    if (!found(node)) return 0;
    const unsigned left = check(child(node, 0));
    const unsigned right = check(child(node, 1));
    const int balance = static_cast<int>(right) - static_cast<int>(left);
    require(balance == TreeLinks::balance(pool_, node) && balance >= -1 && balance <= 1,
            "a tree out of balance");
    for (unsigned side = 0; side < 2; ++side)
      if (const CellId below = child(node, side); found(below))
        require(side == 0 ? less_(pool_.key(below), pool_.key(node))
                          : less_(pool_.key(node), pool_.key(below)),
                "a tree out of order");
    return std::max(left, right) + 1;
  }

  [[no_unique_address]] Less less_;
  Pool pool_;
  CellId root_ = kNoCell;
  SelfTuningMover<Pool, TreeLinks> mover_;
};

} // namespace adcock::move
