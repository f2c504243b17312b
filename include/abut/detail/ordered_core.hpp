// Elements in the leaves of a tree, which move: what the ordered containers' interface asks of it.
#pragma once

#include "element_handle.hpp"
#include "ranges.hpp"
#include "tree.hpp"
#include "tree_iterator.hpp"

namespace abut::detail {

template <typename Values, typename LessType, typename AllocatorType, bool Multi>
class OrderedCore {
protected:
  using Elements = Values;
  using Less = LessType;
  using Allocator = AllocatorType;
  using Slots = SlotsFor<Values>;
  using Key = typename Values::KeyType;
  using Value = typename Values::Value;
  using TreeType = Tree<Slots, Key, Less, Allocator, Multi>;
  using Place = typename TreeType::Place;
  using Fresh = FreshSlot<Slots, Allocator>;
  using Traits = std::allocator_traits<Allocator>;
  static constexpr bool kMulti = Multi;
  static constexpr bool kIsMap = Values::kIsMap;
  static constexpr bool kErasesSafely = true;

public:
  using Iterator = TreeIterator<Slots, Key, Value, !Values::kIsMap>; // a set's elements stay
  using ConstIterator = TreeIterator<Slots, Key, Value, true>;
  using Handle = ElementHandle<Values, Allocator, Slots>;

protected:
  template <typename, typename, typename, bool>
  friend class OrderedCore;

  OrderedCore() = default;
  OrderedCore(const Less &less, Allocator allocator) : tree_(less, std::move(allocator)) {}

  Less &order() noexcept { return tree_.less(); }
  const Less &order() const noexcept { return tree_.less(); }
  Allocator &memory() noexcept { return tree_.allocator(); }
  const Allocator &memory() const noexcept { return tree_.allocator(); }
  std::size_t elements() const noexcept { return tree_.size(); }

  Iterator at(const Place &place) const noexcept { return {place, Origin(changes_)}; }
  Place first() const noexcept { return tree_.begin(); }
  Place behind() const noexcept { return tree_.end(); }
  template <typename K>
  Place find_place(const K &key) const {
    return tree_.find(key);
  }
  template <bool Upper, typename K>
  Place bound_place(const K &key) const {
    return tree_.template bound<Upper>(key);
  }

  // An element made of `args`, whose key is `key`, if there is none like it.
  template <typename... Args>
  auto insert_keyed(const Key &key, Args &&...args) {
    const Place gap = tree_.template gap<Multi>(key);
    if constexpr (!Multi) {
      if (tree_.holds(gap, key)) return std::pair{at(gap), false};
    }
    const std::size_t before = elements();
    Fresh slot(memory(), std::forward<Args>(args)...);
    if (elements() != before) [[unlikely]] // what was made has changed this container
      return insert_slot(slot);
    return inserted(put(gap, slot));
  }
  // One whose key is known once it is made.
  template <typename... Args>
  auto insert_made(Args &&...args) {
    Fresh slot(memory(), std::forward<Args>(args)...);
    return insert_slot(slot);
  }
  auto insert_slot(Fresh &slot) {
    const Key &key = Slots::key(slot.slot());
    const Place gap = tree_.template gap<Multi>(key);
    if constexpr (!Multi) {
      if (tree_.holds(gap, key)) return std::pair{at(gap), false};
    }
    return inserted(put(gap, slot));
  }
  template <typename... Args>
  Iterator insert_keyed_near(const ConstIterator &hint, const Key &key, Args &&...args) {
    bool is_new = true;
    const Place gap = gap_near(hint, key, is_new);
    if (!is_new) return at(gap);
    const std::size_t before = elements();
    Fresh slot(memory(), std::forward<Args>(args)...);
    if (elements() != before) [[unlikely]]
      return place_of(insert_slot(slot));
    return at(put(gap, slot));
  }
  template <typename... Args>
  Iterator insert_made_near(const ConstIterator &hint, Args &&...args) {
    Fresh slot(memory(), std::forward<Args>(args)...);
    bool is_new = true;
    const Place gap = gap_near(hint, Slots::key(slot.slot()), is_new);
    return is_new ? at(put(gap, slot)) : at(gap);
  }

  std::pair<Iterator, bool> put_handle(Handle &handle) {
    const Key &key = Slots::key(handle.slot());
    const Place gap = tree_.template gap<Multi>(key);
    if (!Multi && tree_.holds(gap, key)) return {at(gap), false};
    const Place place = move_in(gap, std::addressof(handle.slot()));
    handle.forget();
    return {at(place), true};
  }
  Iterator put_handle_near(const ConstIterator &hint, Handle &handle) {
    bool is_new = true;
    const Place gap = gap_near(hint, Slots::key(handle.slot()), is_new);
    if (!is_new) return at(gap);
    const Place place = move_in(gap, std::addressof(handle.slot()));
    handle.forget();
    return at(place);
  }
  Handle take_out(const ConstIterator &position) noexcept {
    position.origin().check_from(changes_);
    Handle handle;
    const Place place = position.place();
    handle.fill(memory(), place.leaf->slots() + place.index);
    tree_.close(place);
    changes_.add();
    return handle;
  }
  template <typename OtherLess, bool OtherMulti>
  void merge_from(OrderedCore<Values, OtherLess, Allocator, OtherMulti> &other) {
    auto &from = other.tree_;
    for (auto place = from.begin(); place != from.end();) {
      const Key &key = Slots::key(place.leaf->slots()[place.index]);
      const Place gap = tree_.template gap<Multi>(key);
      if (!Multi && tree_.holds(gap, key)) {
        place = step(place);
        continue;
      }
      move_in(gap, place.leaf->slots() + place.index);
      place = from.close(place);
      other.changes_.add();
    }
  }

  Iterator erase_from(const ConstIterator &position, std::size_t count) noexcept {
    position.origin().check_from(changes_);
    Place place = position.place();
    check(count == 0 || place != tree_.end(), "the end is erased");
    if (count > 0) changes_.add();
    for (; count > 0; --count) place = tree_.erase(place);
    return at(place);
  }
  template <typename Unwanted>
  void erase_each(Unwanted unwanted) {
    for (Place place = first(); place != behind();)
      place = unwanted(*at(place)) ? erase_from(at(place), 1).place() : step(place);
  }
  template <typename K>
  std::size_t erase_equals(const K &key) {
    if constexpr (!Multi && std::is_same_v<K, Key>) {
      const Place place = tree_.find(key);
      if (place == tree_.end()) return 0;
      tree_.erase(place);
      changes_.add();
      return 1;
    } else {
      const std::size_t count = count_equals(key); // the key may be an element's
      Place place = tree_.template bound<false>(key);
      for (std::size_t i = 0; i < count; ++i) place = tree_.erase(place);
      if (count > 0) changes_.add();
      return count;
    }
  }
  template <typename K>
  std::size_t count_equals(const K &key) const {
    if constexpr (!Multi && std::is_same_v<K, Key>) {
      return tree_.find(key) != tree_.end() ? 1 : 0;
    } else {
      std::size_t count = 0;
      for (Place place = tree_.template bound<false>(key);
           place != tree_.end() && !order()(key, TreeType::key(place)); place = step(place))
        ++count;
      return count;
    }
  }

  void clear_all() noexcept {
    tree_.clear();
    changes_.add();
  }
  void copy_all(const OrderedCore &other) {
    OnExit undo([&] { tree_.clear(); });
    for (Place place = other.tree_.begin(); place != other.tree_.end(); place = step(place)) {
      Fresh slot(memory(), Slots::value(place.leaf->slots()[place.index]));
      tree_.insert(tree_.end(), slot);
    }
    undo.dismiss();
    changes_.add();
  }
  void take_all(OrderedCore &other) noexcept {
    tree_.take(other.tree_);
    other.changes_.add();
  }
  // The other's allocator may be another: then elements move one by one.
  void take_or_move(OrderedCore &other) {
    if (memory() == other.memory()) return take_all(other);
    // Keys that have moved already leave the other without an order.
    OnExit undo([&] {
      tree_.clear();
      other.clear_all();
    });
    for (Place place = other.tree_.begin(); place != other.tree_.end(); place = step(place)) {
      Values::with_parts(Slots::value(place.leaf->slots()[place.index]), [&](auto &&...parts) {
        Fresh slot(memory(), std::forward<decltype(parts)>(parts)...);
        tree_.insert(tree_.end(), slot);
      });
    }
    undo.dismiss();
    other.clear_all();
  }
  void swap_all(OrderedCore &other) noexcept {
    tree_.swap_nodes(other.tree_);
    changes_.add();
    other.changes_.add();
  }
  void check_all() const { tree_.check(); }

private:
  Place put(const Place &gap, Fresh &slot) {
    const Place place = tree_.insert(gap, slot);
    changes_.add();
    return place;
  }
  auto inserted(const Place &place) const noexcept {
    if constexpr (Multi)
      return at(place);
    else
      return std::pair{at(place), true};
  }
  static Iterator place_of(const Iterator &place) { return place; }
  static Iterator place_of(const std::pair<Iterator, bool> &result) { return result.first; }
  // The gap for `key` that is nearest to the hint, or where an equal key is.
  Place gap_near(const ConstIterator &position, const Key &key, bool &is_new) const {
    position.origin().check_from(changes_);
    const Place hint = position.place();
    const auto fits = [&](const Key &one, const Key &other) {
      return Multi ? !order()(other, one) : bool(order()(one, other));
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
  // Moves what is in a slot of elsewhere into the gap. What is thrown leaves it where it was.
  Place move_in(const Place &gap, auto *from) {
    Fresh slot(FromSlot{}, memory(), from);
    OnExit undo([&] { slot.move_to(from); });
    const Place place = put(gap, slot);
    undo.dismiss();
    return place;
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

  TreeType tree_;
  [[no_unique_address]] Changes changes_;
};

} // namespace abut::detail
