// What stands between the standard's interface and the tree: how elements get in, and how many leave.
#pragma once

#include "element_handle.hpp"
#include "ranges.hpp"
#include "tree_iterator.hpp"

namespace abut::detail {

template <typename Values, typename Less, typename Allocator, bool Multi>
class OrderedCore {
protected:
  using Slots = SlotsFor<Values>;
  using Key = typename Values::KeyType;
  using Value = typename Values::Value;
  using TreeType = Tree<Slots, Key, Less, Allocator, Multi>;
  using Place = typename TreeType::Place;
  using Fresh = FreshSlot<Slots, Allocator>;
  using Traits = std::allocator_traits<Allocator>;
  using Iterator = TreeIterator<TreeType, Slots, Value, !Values::kIsMap>; // a set's elements stay
  using ConstIterator = TreeIterator<TreeType, Slots, Value, true>;
  using Handle = ElementHandle<Values, Allocator>;
  template <typename, typename, typename, bool>
  friend class OrderedCore;
  template <typename, typename, typename, bool>
  friend class Ordered;

  OrderedCore() = default;
  OrderedCore(const Less &less, const Allocator &allocator) : tree_(less, allocator) {}

  Iterator at(const Place &place) const noexcept { return {place, Origin(changes_)}; }
  void changed() noexcept { changes_.add(); }
  Place put(const Place &gap, Fresh &slot) {
    const Place place = tree_.insert(gap, slot);
    changed();
    return place;
  }
  auto inserted(const Place &place) const noexcept {
    if constexpr (Multi)
      return at(place);
    else
      return std::pair{at(place), true};
  }

  // An element made of `args`, whose key is `key`, if there is none like it.
  template <typename... Args>
  auto insert_keyed(const Key &key, Args &&...args) {
    const Place gap = tree_.template gap<Multi>(key);
    if constexpr (!Multi) {
      if (tree_.holds(gap, key)) return std::pair{at(gap), false};
    }
    Fresh slot(tree_.allocator(), std::forward<Args>(args)...);
    return inserted(put(gap, slot));
  }
  template <typename... Args>
  Iterator insert_keyed_near(const ConstIterator &hint, const Key &key, Args &&...args) {
    hint.origin().check_from(changes_);
    bool is_new = true;
    const Place gap = gap_near(hint.place(), key, is_new);
    if (!is_new) return at(gap);
    Fresh slot(tree_.allocator(), std::forward<Args>(args)...);
    return at(put(gap, slot));
  }
  Iterator put_near(const Place &hint, Fresh &slot) {
    bool is_new = true;
    const Place gap = gap_near(hint, Slots::key(slot.slot()), is_new);
    return is_new ? at(put(gap, slot)) : at(gap);
  }
  // The gap for `key` that is nearest to the hint, or where an equal key is.
  Place gap_near(const Place &hint, const Key &key, bool &is_new) const {
    const Less &less = tree_.less();
    const auto fits = [&](const Key &one, const Key &other) {
      return Multi ? !less(other, one) : less(one, other);
    };
    const bool fits_before = hint == tree_.end() || fits(key, TreeType::key(hint));
    const bool fits_behind = hint == tree_.begin() || fits(TreeType::key(step_back(hint)), key);
    if (fits_before && fits_behind) return tree_.gap_before(hint, key);
    if constexpr (Multi) {
      return fits_before ? tree_.template gap<true>(key) : tree_.template gap<false>(key);
    } else {
      const Place gap = tree_.template gap<false>(key);
      is_new = !tree_.holds(gap, key);
      return gap;
    }
  }
  Iterator put_node(const Place &gap, Handle &node) {
    const Iterator place = at(move_in(gap, &node.slot()));
    node.forget();
    return at(place.place());
  }
  // Moves what is in a slot of elsewhere into the gap. What is thrown leaves it where it was.
  Place move_in(const Place &gap, typename Slots::Slot *from) {
    Fresh slot(FromSlot{}, tree_.allocator(), from);
    OnExit undo([&] { slot.move_to(from); });
    const Place place = put(gap, slot);
    undo.dismiss();
    return place;
  }

  Iterator erase_from(Place place, std::size_t count) noexcept {
    for (; count > 0; --count) place = tree_.erase(place);
    changed();
    return at(place);
  }
  template <typename K>
  std::size_t erase_equals(const K &key) {
    const std::size_t count = count_equals(key); // the key may be an element's
    if (count > 0) erase_from(tree_.template bound<false>(key), count);
    return count;
  }
  template <typename K>
  std::size_t count_equals(const K &key) const {
    if constexpr (!Multi && std::is_same_v<K, Key>) return tree_.find(key) != tree_.end() ? 1 : 0;
    std::size_t count = 0;
    for (Place place = tree_.template bound<false>(key);
         place != tree_.end() && !tree_.less()(key, TreeType::key(place)); place = step(place))
      ++count;
    return count;
  }
  template <typename AnyPlace>
  static AnyPlace step(AnyPlace place) noexcept {
    if (++place.index == place.leaf->count && place.leaf->next != nullptr)
      return {place.leaf->next, 0};
    return place;
  }
  static Place step_back(const Place &place) noexcept {
    if (place.index > 0) return {place.leaf, place.index - 1};
    return {place.leaf->previous, place.leaf->previous->count - 1u};
  }

  void append_copies(const OrderedCore &other) {
    OnExit undo([&] { tree_.clear(); });
    for (Place place = other.tree_.begin(); place != other.tree_.end(); place = step(place)) {
      Fresh slot(tree_.allocator(), Slots::value(place.leaf->slots()[place.index]));
      tree_.insert(tree_.end(), slot);
    }
    undo.dismiss();
    changed();
  }
  // All of the other's, whose allocator may be another: then elements move one by one.
  void take_or_move(OrderedCore &other) {
    if (tree_.allocator() == other.tree_.allocator()) {
      tree_.take(other.tree_);
    } else {
      OnExit undo([&] { tree_.clear(); });
      for (Place place = other.tree_.begin(); place != other.tree_.end(); place = step(place)) {
        Fresh slot = fresh_from(Slots::value(place.leaf->slots()[place.index]));
        tree_.insert(tree_.end(), slot);
      }
      undo.dismiss();
      other.tree_.clear();
    }
    changed();
    other.changed();
  }
  Fresh fresh_from(Value &value) {
    if constexpr (Values::kIsMap)
      return Fresh(tree_.allocator(), std::piecewise_construct,
                   std::forward_as_tuple(std::move(const_cast<Key &>(value.first))),
                   std::forward_as_tuple(std::move(value.second)));
    else
      return Fresh(tree_.allocator(), std::move(value));
  }

  template <typename First, typename...>
  static constexpr bool kIsKey = std::is_same_v<std::remove_cvref_t<First>, Key>;
  template <typename... Args>
  static constexpr bool is_keyed() {
    if constexpr (sizeof...(Args) == (Values::kIsMap ? 2 : 1))
      return kIsKey<Args...>;
    else
      return false;
  }
  static const Key &first_of(const Key &key, const auto &...) noexcept { return key; }

  TreeType tree_;
  [[no_unique_address]] Changes changes_;
};

} // namespace abut::detail
