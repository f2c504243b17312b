// The nodes of a container whose elements stay: linked in order, and found by a tree once they are more than a few.
#pragma once

#include "list_iterator.hpp"
#include "tree.hpp"

namespace abut::detail {

// What the tree's leaves hold: a node, and a copy of its key where keys are small and plain.
template <typename Values, typename Node>
struct IndexSlots {
  using Key = typename Values::KeyType;
  static constexpr bool kMovesAsBytes = true;
  struct KeyAndNode {
    std::remove_const_t<Key> copy;
    Node *node;
  };
  using Slot = std::conditional_t<kKeysAreCopied<Key>, KeyAndNode, Node *>;

  static Node *node(const Slot &slot) noexcept {
    if constexpr (kKeysAreCopied<Key>)
      return slot.node;
    else
      return slot;
  }
  static const Key &key(const Slot &slot) noexcept {
    if constexpr (kKeysAreCopied<Key>)
      return slot.copy;
    else
      return Values::key(slot->value());
  }
  static void make(auto &, void *at, Node *node) noexcept {
    if constexpr (kKeysAreCopied<Key>)
      ::new (at) Slot{Values::key(node->value()), node};
    else
      ::new (at) Slot(node);
  }
  static void destroy(auto &, Slot &) noexcept {}
};

template <typename Values, typename LessType, typename AllocatorType, bool Multi>
class StableNodes {
protected:
  using Less = LessType;
  using Allocator = AllocatorType;
  using Key = typename Values::KeyType;
  using Value = typename Values::Value;
  using Node = LinkedNode<Value>;
  using Index = IndexSlots<Values, Node>;
  using TreeType = Tree<Index, Key, Less, Allocator, Multi>;
  using Gap = typename TreeType::Place;
  using Traits = std::allocator_traits<Allocator>;
  // A small container has no tree: its elements are searched one after the other. Up to so many, that takes no longer than a
  // search in a binary tree, and a walk over many small containers meets nothing but elements.
  static constexpr std::size_t kFew = 20;

  // Before which node a key belongs, and where in the tree.
  struct Spot {
    Link *link;
    Gap gap;
  };
  // A node that is not linked yet.
  struct Made {
    StableNodes *owner;
    Node *node;
    Made(StableNodes *of, Node *made) : owner(of), node(made) {}
    Made(const Made &) = delete;
    Made &operator=(const Made &) = delete;
    ~Made() {
      if (node == nullptr) return;
      Traits::destroy(owner->memory(), std::addressof(node->value()));
      owner->pool_.give(node);
    }
  };

  StableNodes() noexcept(std::is_nothrow_default_constructible_v<Less>
                             &&std::is_nothrow_default_constructible_v<Allocator>) {
    make_empty();
  }
  StableNodes(const Less &less, Allocator allocator)
      : less_(less), allocator_(std::move(allocator)) {
    make_empty();
  }
  StableNodes(const StableNodes &) = delete;
  StableNodes &operator=(const StableNodes &) = delete;

  Less &order() noexcept { return less_; }
  const Less &order() const noexcept { return less_; }
  Allocator &memory() noexcept { return allocator_; }
  const Allocator &memory() const noexcept { return allocator_; }
  Link *behind() const noexcept { return const_cast<Link *>(&ends_); }
  bool is_indexed() const noexcept { return tree_ != nullptr; }
  Gap last_gap() const noexcept { return is_indexed() ? tree_->end() : Gap(); }
  static Node *node_of(const Link *link) noexcept {
    return static_cast<Node *>(const_cast<Link *>(link));
  }
  static const Key &key_at(const Link *link) noexcept {
    return Values::key(node_of(link)->value());
  }
  static Gap step(Gap gap) noexcept {
    if (++gap.index == gap.leaf->count && gap.leaf->next != nullptr) return {gap.leaf->next, 0};
    return gap;
  }

  Link *link_at(Gap gap) const noexcept {
    if (gap.leaf != nullptr && gap.index == gap.leaf->count) gap = {gap.leaf->next, 0};
    return gap.leaf == nullptr ? behind() : Index::node(gap.leaf->slots()[gap.index]);
  }
  template <bool Upper, typename K>
  Link *search(const K &key) const {
    Link *link = ends_.next;
    while (link != &ends_ &&
           (Upper ? !order()(key, key_at(link)) : bool(order()(key_at(link), key))))
      link = link->next;
    return link;
  }
  template <bool Behind>
  Spot spot_for(const Key &key) const {
    if (!is_indexed()) return {search<Behind>(key), {}};
    const Gap gap = tree_->template gap<Behind>(key);
    return {link_at(gap), gap};
  }
  Spot spot_near(const Link *link, const Key &key) const {
    const auto fits = [&](const Key &one, const Key &other) {
      return Multi ? !order()(other, one) : bool(order()(one, other));
    };
    const bool fits_before = link == &ends_ || fits(key, key_at(link));
    const bool fits_behind = link == ends_.next || fits(key_at(link->previous), key);
    if (fits_before && fits_behind) {
      if (link == &ends_) return {behind(), last_gap()};
      if (!is_indexed()) return {node_of(link), {}};
      if constexpr (Multi) return {node_of(link), tree_->gap_before(gap_of(node_of(link)), key)};
    }
    return Multi && fits_before ? spot_for<true>(key) : spot_for<false>(key);
  }
  bool holds(const Spot &spot, const Key &key) const {
    if (is_indexed()) return tree_->holds(spot.gap, key);
    return spot.link != &ends_ && !order()(key, key_at(spot.link));
  }
  // Where a node is in the tree.
  Gap gap_of(Node *node) const {
    Gap gap = tree_->template bound<false>(key_at(node));
    while (Index::node(gap.leaf->slots()[gap.index]) != node) gap = step(gap);
    return gap;
  }

  template <typename... Args>
  Made make(Args &&...args) {
    Node *node = pool_.take(memory(), size_);
    OnExit undo([&] { pool_.give(node); });
    Traits::construct(memory(), reinterpret_cast<Value *>(node->raw), std::forward<Args>(args)...);
    undo.dismiss();
    return {this, node};
  }
  Link *add(Spot spot, Made &&made) {
    add_to_index(spot, made.node);
    Node *node = std::exchange(made.node, nullptr);
    ::new (static_cast<void *>(node)) Link;
    node->put_before(spot.link);
    ++size_;
    return node;
  }
  // Moves a value in from elsewhere; what is thrown leaves it there.
  Link *add_moved(Spot spot, Value &from) {
    Node *node = pool_.take(memory(), size_);
    Values::move(node->raw, std::addressof(from));
    OnExit undo([&] {
      Values::move(std::addressof(from), std::addressof(node->value()));
      pool_.give(node);
    });
    add_to_index(spot, node);
    undo.dismiss();
    ::new (static_cast<void *>(node)) Link;
    node->put_before(spot.link);
    ++size_;
    return node;
  }
  void unindex(Node *node) {
    if (is_indexed()) tree_->erase(gap_of(node));
  }
  // The value is gone, and so is the node's slot in the tree.
  void drop(Node *node) noexcept {
    node->take_out();
    pool_.give(node);
    if (--size_ > 0) return;
    forget_index();
    pool_.reset(memory());
  }
  void forget_index() noexcept {
    if (tree_ == nullptr) return;
    tree_->~TreeType();
    deallocate_bytes<alignof(TreeType)>(allocator_, std::exchange(tree_, nullptr),
                                        sizeof(TreeType));
  }

  void make_empty() noexcept {
    ends_.next = ends_.previous = &ends_;
    size_ = 0;
  }
  void mend_ends() noexcept {
    if (size_ == 0)
      make_empty();
    else
      ends_.next->previous = ends_.previous->next = &ends_;
  }
  void swap_nodes(StableNodes &other) noexcept {
    std::swap(tree_, other.tree_);
    pool_.swap(other.pool_);
    std::swap(ends_, other.ends_);
    std::swap(size_, other.size_);
    mend_ends();
    other.mend_ends();
    changes_.add();
    other.changes_.add();
  }

  TreeType *tree_ = nullptr;
  NodePool<Node> pool_;
  Link ends_;
  std::size_t size_ = 0;
  [[no_unique_address]] Less less_{};
  [[no_unique_address]] Allocator allocator_{};
  [[no_unique_address]] Changes changes_;

private:
  void add_to_index(Spot &spot, Node *node) {
    if (!is_indexed()) {
      if (size_ < kFew) return;
      index_all();
      spot.gap = spot.link == &ends_ ? tree_->end()
                                     : tree_->gap_before(gap_of(node_of(spot.link)), key_at(node));
    }
    FreshSlot<Index, Allocator> slot(memory(), node);
    tree_->insert(spot.gap, slot);
  }
  void index_all() {
    void *memory = allocate_bytes<alignof(TreeType)>(allocator_, sizeof(TreeType));
    OnExit free([&] { deallocate_bytes<alignof(TreeType)>(allocator_, memory, sizeof(TreeType)); });
    auto *tree = ::new (memory) TreeType(less_, allocator_);
    OnExit undo([&] { tree->~TreeType(); });
    tree->reserve(kFew * 3 / 2);
    for (Link *link = ends_.next; link != &ends_; link = link->next) {
      FreshSlot<Index, Allocator> slot(allocator_, node_of(link));
      tree->insert(tree->end(), slot);
    }
    undo.dismiss();
    free.dismiss();
    tree_ = tree;
  }
};

} // namespace abut::detail
