// A B+-tree of nodes of a few lines: look-up, insertion and erasure by place. What the ordered containers are made of.
//
// Whatever may throw comes first: the new element, the memory of the nodes that its insertion will split, comparisons.
// All that follows moves slots, which does not throw.
#pragma once

#include "tree_nodes.hpp"

namespace abut::detail {

// Slot `index` of a leaf. The end is behind the last leaf's last slot; a tree without elements has no leaf.
template <typename Slots>
struct TreePlace {
  Leaf<Slots> *leaf = nullptr;
  unsigned index = 0;
  bool operator==(const TreePlace &) const = default;
};

// Orders keys by `Less`; with `Multi`, equal ones as they came.
template <typename Slots, typename Key, typename Less, typename Allocator, bool Multi>
class Tree {
public:
  using LeafNode = Leaf<Slots>;
  using InnerNode = Inner<Slots, Key>;
  using Place = TreePlace<Slots>;

  Tree() = default;
  Tree(const Less &less, Allocator allocator) : less_(less), allocator_(std::move(allocator)) {}
  Tree(const Tree &) = delete;
  Tree &operator=(const Tree &) = delete;
  ~Tree() { clear(); }

  const Less &less() const noexcept { return less_; }
  Less &less() noexcept { return less_; }
  Allocator &allocator() noexcept { return allocator_; }
  const Allocator &allocator() const noexcept { return allocator_; }
  std::size_t size() const noexcept { return size_; }
  Place begin() const noexcept { return {first_, 0}; }
  Place end() const noexcept { return {last_, last_ == nullptr ? 0u : last_->count}; }
  static const Key &key(const Place &place) noexcept {
    return Slots::key(place.leaf->slots()[place.index]);
  }

  // The first place whose key is not before `key`; with `Upper`, the first that is after it.
  template <bool Upper, typename K>
  Place bound(const K &key) const {
    if (root_ == nullptr) return {};
    return next_if_behind(descend < Upper, Upper || !kMayRepeat<K>, K, true > (key));
  }
  template <typename K>
  Place find(const K &key) const {
    if (root_ == nullptr) return {};
    Place place = descend<false, !kMayRepeat<K>, K>(key);
    if constexpr (kMayRepeat<K>) place = next_if_behind(place);
    if (place.index == place.leaf->count || less_(key, Tree::key(place))) return end();
    return place;
  }
  // Where `key` may be inserted in front of its equals or behind them. Not a place of an element: it may be the end of a
  // leaf.
  template <bool Behind, typename K>
  Place gap(const K &key) const {
    if (root_ == nullptr || is_behind<Behind>(key)) return end(); // many come in order
    return descend < Behind, Behind || !Multi, K > (key);
  }
  // The same between the element before `place` and that at it, which `key` must fit.
  template <typename K>
  Place gap_before(Place place, const K &key) const {
    if (place.leaf == nullptr || place.index > 0 || place.leaf->previous == nullptr) return place;
    const bool is_left = Multi ? !less_(separator_before(place.leaf), key)
                               : less_(key, separator_before(place.leaf));
    return is_left ? Place{place.leaf->previous, place.leaf->previous->count} : place;
  }
  bool holds(const Place &gap, const auto &key) const {
    return gap.leaf != nullptr && gap.index < gap.leaf->count && !less_(key, Tree::key(gap));
  }

  // Makes room in a tree that has no node.
  void reserve(std::size_t slots) {
    root_ = first_ = last_ = make_leaf(std::min<std::size_t>(LeafNode::kMost, slots));
  }
  // Moves the slot into the gap. Throws what the allocator throws, and changes nothing then.
  Place insert(Place gap, FreshSlot<Slots, Allocator> &slot) {
    Place place = gap;
    if (root_ == nullptr) {
      reserve(LeafNode::kFewest);
      place = {first_, 0};
    } else if (gap.leaf->count == gap.leaf->capacity) {
      if (gap.leaf->capacity < LeafNode::kMost) {
        grow();
        place.leaf = first_;
      } else {
        return insert_with_split(gap, slot);
      }
    }
    put(place, slot);
    ++size_;
    return place;
  }

  // The place of the element behind it. Never fails.
  Place erase(Place place) noexcept {
    LeafNode *leaf = place.leaf;
    Slots::destroy(allocator_, leaf->slots()[place.index]);
    return close(place);
  }
  // The same for a slot whose element was moved out, and is raw memory.
  Place close(Place place) noexcept {
    LeafNode *leaf = place.leaf;
    --leaf->count;
    --size_;
    move_slots<Slots>(leaf->slots() + place.index, leaf->slots() + place.index + 1,
                      leaf->count - place.index);
    if (leaf->count < LeafNode::kMost / 3) [[unlikely]]
      return thin_out(place);
    return next_if_behind(place);
  }

  void clear() noexcept {
    for (LeafNode *leaf = first_; leaf != nullptr;) {
      LeafNode *const next = leaf->next;
      if constexpr (!nothing_to_destroy()) {
        for (unsigned i = 0; i < leaf->count; ++i) Slots::destroy(allocator_, leaf->slots()[i]);
      }
      if (leaf == root_) root_ = nullptr;
      free_leaf(leaf);
      leaf = next;
    }
    if (root_ != nullptr) free_inner(root_);
    root_ = nullptr;
    first_ = last_ = nullptr;
    size_ = 0;
  }
  // Takes the nodes of another tree; this one has none.
  void take(Tree &other) noexcept {
    root_ = std::exchange(other.root_, nullptr);
    first_ = std::exchange(other.first_, nullptr);
    last_ = std::exchange(other.last_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  void swap_nodes(Tree &other) noexcept {
    std::swap(root_, other.root_);
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(size_, other.size_);
  }

  // Ends the program where the tree is not as it should be. For tests.
  void check() const;

private:
  // Whether several elements may be equal to a key: a transparent order may find equal what is not.
  template <typename K>
  static constexpr bool kMayRepeat = Multi || !std::is_same_v<K, Key>;
  // Whether elements may be left as they are when their nodes go.
  static constexpr bool nothing_to_destroy() {
    using Slot = typename Slots::Slot;
    constexpr bool kHasDestroy = requires(Allocator allocator, Slot * slot) {
      allocator.destroy(slot);
    };
    return Slots::kMovesAsBytes && std::is_trivially_destructible_v<Slot> &&
           !std::is_pointer_v<Slot> && !kHasDestroy;
  }

  template <bool Upper, typename K>
  unsigned child_for(const InnerNode *inner, ByKey<K> key) const {
    const auto *separators = inner->separators();
    if constexpr (MachineOrder<Key, Less>::kHolds && std::is_same_v<K, Key>) {
      // All of a node's separators are there, and the unused ones come last: a block of eight, and a place in it.
      constexpr unsigned kBlock = 8;
      const auto before = [&](unsigned i) -> unsigned {
        if constexpr (Upper)
          return !less_(key, separators[i]);
        else
          return less_(separators[i], key);
      };
      unsigned base = 0;
      [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) {
        base = (0 + ... + before(I * kBlock + kBlock - 1)) * kBlock;
      }
      (std::make_integer_sequence<unsigned, InnerNode::kMost / kBlock - 1>());
      unsigned child = base;
      [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) {
        child += (0 + ... + before(base + I));
      }
      (std::make_integer_sequence<unsigned, kBlock>());
      return std::min<unsigned>(child, inner->count - 1);
    } else {
      const auto at = [&](unsigned i) -> const Key & { return InnerNode::key(separators[i]); };
      return rank<Upper>(at, inner->count - 1u, key, less_);
    }
  }

  // Whether a key belongs behind the last element.
  template <bool OfEquals, typename K>
  bool is_behind(const K &key) const {
    const Place place{last_, last_->count - 1u}; // by name: g++ 13 takes the key for its part
    const Key &last = Tree::key(place);
    return OfEquals ? !less_(key, last) : bool(less_(last, key));
  }

  // The leaf and the place in it; the place may be behind the leaf's last. `Walks`: a walk is likely to follow, which will
  // soon be in the next leaf.
  template <bool Upper, bool UpperChild, typename K, bool Walks = false>
  Place descend(ByKey<K> key) const {
    TreeNode *node = root_;
    while (node->level > 0) {
      const auto *inner = static_cast<const InnerNode *>(node);
      const unsigned child = child_for<UpperChild, K>(inner, key);
      node = inner->children[child];
      if (inner->level > 1 || inner == root_) continue;
      prefetch(node, LeafNode::kBytes);
      if (Walks && child + 1 < inner->count)
        prefetch(inner->children[child + 1], LeafNode::kBytes / 4);
    }
    auto *leaf = static_cast<LeafNode *>(node);
    const auto *slots = leaf->slots();
    const auto at = [&](unsigned i) -> const Key & { return Slots::key(slots[i]); };
    return {leaf, rank<Upper>(at, leaf->count, key, less_)};
  }
  static Place next_if_behind(Place place) noexcept {
    if (place.index == place.leaf->count && place.leaf->next != nullptr)
      return {place.leaf->next, 0};
    return place;
  }
  static unsigned position(const InnerNode *parent, const TreeNode *child) noexcept {
    return parent->position(child);
  }
  // What separates the elements of `leaf` from those before it; there must be such.
  const Key &separator_before(const LeafNode *leaf) const noexcept {
    const TreeNode *node = leaf;
    for (;;) {
      const auto *parent = static_cast<const InnerNode *>(node->parent);
      if (const unsigned i = position(parent, node); i > 0)
        return InnerNode::key(parent->separators()[i - 1]);
      node = parent;
    }
  }
  static auto separator_for(LeafNode *leaf) noexcept {
    if constexpr (kKeysAreCopied<Key>)
      return Slots::key(leaf->slots()[0]);
    else
      return leaf;
  }
  // Separators that are not used come last, where the search counts on it.
  static void pad(InnerNode *inner) noexcept {
    if constexpr (MachineOrder<Key, Less>::kHolds)
      std::fill(inner->separators() + inner->count - 1, inner->separators() + InnerNode::kMost,
                MachineOrder<Key, Less>::last());
  }

  LeafNode *make_leaf(std::size_t capacity) {
    auto *leaf = ::new (allocate_bytes<LeafNode::kAlignment>(allocator_, LeafNode::bytes(capacity)))
        LeafNode();
    leaf->capacity = static_cast<std::uint16_t>(capacity);
    return leaf;
  }
  void free_leaf(LeafNode *leaf) noexcept {
    deallocate_bytes<LeafNode::kAlignment>(allocator_, leaf, LeafNode::bytes(leaf->capacity));
  }
  InnerNode *make_inner() {
    auto *inner =
        ::new (allocate_bytes<alignof(InnerNode)>(allocator_, sizeof(InnerNode))) InnerNode;
    inner->capacity = InnerNode::kMost;
    return inner;
  }
  void free_inner_alone(TreeNode *inner) noexcept {
    deallocate_bytes<alignof(InnerNode)>(allocator_, inner, sizeof(InnerNode));
  }
  // With the inner nodes below; the leaves are gone.
  void free_inner(TreeNode *node) noexcept {
    auto *inner = static_cast<InnerNode *>(node);
    if (inner->level > 1) {
      for (unsigned i = 0; i < inner->count; ++i) free_inner(inner->children[i]);
    }
    free_inner_alone(inner);
  }

  void put(const Place &place, FreshSlot<Slots, Allocator> &slot) noexcept {
    auto *at = place.leaf->slots() + place.index;
    move_slots<Slots>(at + 1, at, place.leaf->count - place.index);
    slot.move_to(at);
    ++place.leaf->count;
  }
  // The only leaf, with twice the room, or eight slots more.
  void grow() {
    LeafNode *old = first_;
    const std::size_t capacity = old->capacity + std::min<std::size_t>(old->capacity, 8);
    LeafNode *leaf = make_leaf(std::min<std::size_t>(LeafNode::kMost, capacity));
    move_slots<Slots>(leaf->slots(), old->slots(), old->count);
    leaf->count = old->count;
    free_leaf(old);
    root_ = first_ = last_ = leaf;
  }

  Place insert_with_split(Place gap, FreshSlot<Slots, Allocator> &slot);
  template <typename SeparatorType>
  void add_child(TreeNode *left, SeparatorType separator, TreeNode *right, bool is_last,
                 TreeNode *&spare) noexcept;
  Place thin_out(Place place) noexcept;
  void merge_leaves(LeafNode *left, LeafNode *right) noexcept;
  void remove_leaf(LeafNode *leaf) noexcept;
  void remove_child(InnerNode *parent, unsigned at) noexcept;
  void merge_inner(InnerNode *parent, unsigned left_at) noexcept;
  std::size_t check_node(const TreeNode *node, const TreeNode *parent) const;

  TreeNode *root_ = nullptr;
  LeafNode *first_ = nullptr;
  LeafNode *last_ = nullptr;
  std::size_t size_ = 0;
  [[no_unique_address]] Less less_{};
  [[no_unique_address]] Allocator allocator_{};
};

} // namespace abut::detail

#include "tree_changes.hpp" // IWYU pragma: export
