// How a tree splits nodes and merges them.
#pragma once

#include "config.hpp"
#include "tree.hpp"

namespace abut::detail {

#define ABUT_TREE                                                                                  \
  template <typename Slots, typename Key, typename Less, typename Allocator, bool Multi>
#define ABUT_TREE_OF Tree<Slots, Key, Less, Allocator, Multi>

// At either end of the tree a full leaf stays full, so that what comes in order fills its leaves.
ABUT_TREE auto ABUT_TREE_OF::insert_with_split(Place gap, FreshSlot<Slots, Allocator> &slot)
    -> Place {
  LeafNode *left = gap.leaf;
  // The inner nodes that will be needed, linked through `parent`.
  TreeNode *spare = nullptr;
  const auto free_spare = [&] {
    while (spare != nullptr) free_inner_alone(std::exchange(spare, spare->parent));
  };
  OnExit undo(free_spare);
  const TreeNode *full = left->parent;
  for (; full != nullptr && full->count == InnerNode::kMost; full = full->parent) {
    TreeNode *inner = make_inner();
    inner->parent = std::exchange(spare, inner);
  }
  if (full == nullptr) {
    TreeNode *inner = make_inner();
    inner->parent = std::exchange(spare, inner);
  }
  LeafNode *right = make_leaf(LeafNode::kMost);
  undo.dismiss();

  const bool is_last = left->next == nullptr;
  unsigned stay = left->count / 2u;
  if (is_last && gap.index == left->count)
    stay = left->count;
  else if (left->previous == nullptr && gap.index == 0)
    stay = 0;
  right->count = static_cast<std::uint16_t>(left->count - stay);
  move_slots<Slots>(right->slots(), left->slots() + stay, right->count);
  left->count = static_cast<std::uint16_t>(stay);
  right->previous = left;
  right->next = left->next;
  (is_last ? last_ : right->next->previous) = right;
  left->next = right;

  const Place place =
      gap.index > stay || (stay == LeafNode::kMost) ? Place{right, gap.index - stay} : gap;
  put(place, slot);
  ++size_;
  add_child(left, separator_for(right), right, is_last, spare);
  return place;
}

// `right` comes behind `left` in their parent, which is split first where it is full.
ABUT_TREE
template <typename SeparatorType>
void ABUT_TREE_OF::add_child(TreeNode *left, SeparatorType separator, TreeNode *right, bool is_last,
                             TreeNode *&spare) noexcept {
  const auto take_spare = [&] {
    return static_cast<InnerNode *>(std::exchange(spare, spare->parent));
  };
  auto *parent = static_cast<InnerNode *>(left->parent);
  if (parent == nullptr) {
    parent = take_spare();
    parent->parent = nullptr;
    parent->level = static_cast<std::uint16_t>(left->level + 1);
    parent->count = 1;
    parent->children[0] = left;
    pad(parent);
    left->parent = root_ = parent;
  }
  unsigned at = position(parent, left); // the separator's; the child's is one more
  if (parent->count == InnerNode::kMost) {
    InnerNode *other = take_spare();
    other->level = parent->level;
    const bool keeps_all = is_last && at + 1u == parent->count;
    const unsigned stay = keeps_all ? parent->count - 1u : parent->count / 2u;
    const auto up = parent->separators()[stay - 1];
    other->count = static_cast<std::uint16_t>(parent->count - stay);
    std::copy_n(parent->children + stay, other->count, other->children);
    std::copy_n(parent->separators() + stay, other->count - 1u, other->separators());
    for (unsigned i = 0; i < other->count; ++i) other->children[i]->parent = other;
    parent->count = static_cast<std::uint16_t>(stay);
    pad(parent);
    pad(other);
    add_child(parent, up, other, is_last, spare);
    if (at >= stay) {
      parent = other;
      at -= stay;
    }
  }
  std::copy_backward(parent->separators() + at, parent->separators() + parent->count - 1,
                     parent->separators() + parent->count);
  std::copy_backward(parent->children + at + 1, parent->children + parent->count,
                     parent->children + parent->count + 1);
  parent->separators()[at] = separator;
  parent->children[at + 1] = right;
  right->parent = parent;
  ++parent->count;
}

// A leaf that has become thin goes into a neighbour, where there is room: two neighbours are never both nearly empty.
ABUT_TREE auto ABUT_TREE_OF::thin_out(Place place) noexcept -> Place {
  LeafNode *leaf = place.leaf;
  const auto *parent = static_cast<const InnerNode *>(leaf->parent);
  if (parent == nullptr) {
    if (leaf->count > 0) return place;
    clear();
    return {};
  }
  const unsigned at = position(parent, leaf);
  if (at + 1u < parent->count && leaf->count + leaf->next->count <= LeafNode::kMost) {
    merge_leaves(leaf, leaf->next);
    return next_if_behind(place);
  }
  if (at > 0 && leaf->previous->count + leaf->count <= LeafNode::kMost) {
    place = {leaf->previous, leaf->previous->count + place.index};
    merge_leaves(place.leaf, leaf);
    return next_if_behind(place);
  }
  if (leaf->count > 0) return next_if_behind(place);
  // An only child.
  place =
      leaf->next != nullptr ? Place{leaf->next, 0} : Place{leaf->previous, leaf->previous->count};
  remove_leaf(leaf);
  return place;
}

ABUT_TREE void ABUT_TREE_OF::merge_leaves(LeafNode *left, LeafNode *right) noexcept {
  move_slots<Slots>(left->slots() + left->count, right->slots(), right->count);
  left->count = static_cast<std::uint16_t>(left->count + right->count);
  remove_leaf(right);
}

ABUT_TREE void ABUT_TREE_OF::remove_leaf(LeafNode *leaf) noexcept {
  (leaf->next == nullptr ? last_ : leaf->next->previous) = leaf->previous;
  (leaf->previous == nullptr ? first_ : leaf->previous->next) = leaf->next;
  auto *parent = static_cast<InnerNode *>(leaf->parent);
  const unsigned at = position(parent, leaf);
  free_leaf(leaf);
  remove_child(parent, at);
}

// The child is gone. What separated it from its neighbours goes, and an inner node that is left without children.
ABUT_TREE void ABUT_TREE_OF::remove_child(InnerNode *parent, unsigned at) noexcept {
  if (parent->count == 1) { // not the root: that has two at least
    auto *above = static_cast<InnerNode *>(parent->parent);
    const unsigned place = position(above, parent);
    free_inner_alone(parent);
    return remove_child(above, place);
  }
  if constexpr (!kKeysAreCopied<Key>) {
    // A separator above that named the first leaf below names the new first.
    if (at == 0) {
      const TreeNode *node = parent;
      auto *above = static_cast<InnerNode *>(parent->parent);
      while (above != nullptr && above->children[0] == node) {
        node = above;
        above = static_cast<InnerNode *>(above->parent);
      }
      if (above != nullptr)
        above->separators()[position(above, node) - 1] = parent->separators()[0];
    }
  }
  const unsigned gone = at == 0 ? 0 : at - 1;
  std::copy(parent->separators() + gone + 1, parent->separators() + parent->count - 1,
            parent->separators() + gone);
  std::copy(parent->children + at + 1, parent->children + parent->count, parent->children + at);
  --parent->count;
  pad(parent);
  if (parent == root_) {
    if (parent->count > 1) return;
    root_ = parent->children[0];
    root_->parent = nullptr;
    free_inner_alone(parent);
    return;
  }
  if (parent->count >= InnerNode::kMost / 3) return;
  auto *above = static_cast<InnerNode *>(parent->parent);
  const unsigned place = position(above, parent);
  if (place + 1u < above->count &&
      parent->count + above->children[place + 1]->count <= InnerNode::kMost)
    merge_inner(above, place);
  else if (place > 0 && above->children[place - 1]->count + parent->count <= InnerNode::kMost)
    merge_inner(above, place - 1);
}

ABUT_TREE void ABUT_TREE_OF::merge_inner(InnerNode *parent, unsigned left_at) noexcept {
  auto *left = static_cast<InnerNode *>(parent->children[left_at]);
  auto *right = static_cast<InnerNode *>(parent->children[left_at + 1]);
  left->separators()[left->count - 1] = parent->separators()[left_at];
  std::copy_n(right->separators(), right->count - 1u, left->separators() + left->count);
  std::copy_n(right->children, right->count, left->children + left->count);
  for (unsigned i = 0; i < right->count; ++i) right->children[i]->parent = left;
  left->count = static_cast<std::uint16_t>(left->count + right->count);
  pad(left);
  free_inner_alone(right);
  remove_child(parent, left_at + 1);
}

ABUT_TREE void ABUT_TREE_OF::check() const {
  const auto need = [](bool holds, const char *what) {
    if (!holds) fail(what);
  };
  const std::size_t counted = root_ == nullptr ? 0 : check_node(root_, nullptr);
  need(counted == size_, "the tree's size is wrong");
  std::size_t chained = 0;
  const LeafNode *before = nullptr;
  for (const LeafNode *leaf = first_; leaf != nullptr; leaf = leaf->next) {
    need(leaf->previous == before, "the leaves are not chained");
    need(leaf->count > 0, "a leaf is empty");
    for (unsigned i = 0; i < leaf->count; ++i) {
      const Key &key = Slots::key(leaf->slots()[i]);
      if (i == 0 && before == nullptr) continue;
      const Key &last =
          i > 0 ? Slots::key(leaf->slots()[i - 1]) : Slots::key(before->slots()[before->count - 1]);
      need(Multi ? !less_(key, last) : less_(last, key), "the elements are not in order");
    }
    if (before != nullptr) {
      const Key &separator = separator_before(leaf);
      const Key &last = Slots::key(before->slots()[before->count - 1]);
      need(Multi ? !less_(separator, last) : less_(last, separator), "a separator is too low");
      need(!less_(Slots::key(leaf->slots()[0]), separator), "a separator is too high");
    }
    chained += leaf->count;
    before = leaf;
  }
  need(chained == size_ && before == last_, "the chain of leaves is wrong");
}

ABUT_TREE std::size_t ABUT_TREE_OF::check_node(const TreeNode *node, const TreeNode *parent) const {
  if (node->parent != parent) fail("a node's parent is wrong");
  if (node->count > node->capacity || node->count == 0) fail("a node's count is wrong");
  if (node->level == 0) return node->count;
  const auto *inner = static_cast<const InnerNode *>(node);
  std::size_t below = 0;
  for (unsigned i = 0; i < inner->count; ++i) {
    if (inner->children[i]->level + 1 != inner->level) fail("a node's level is wrong");
    below += check_node(inner->children[i], node);
  }
  return below;
}

#undef ABUT_TREE
#undef ABUT_TREE_OF

} // namespace abut::detail
