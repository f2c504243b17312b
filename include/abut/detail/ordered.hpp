// What maps, sets and their multi kinds have in common: the standard's interface over a tree.
#pragma once

#include "ordered_core.hpp"

#include <initializer_list>

namespace abut::detail {

template <typename Values, typename Less, typename Allocator, bool Multi>
class Ordered : protected OrderedCore<Values, Less, Allocator, Multi> {
  using Core = OrderedCore<Values, Less, Allocator, Multi>;
  using Core::at, Core::changed, Core::changes_, Core::tree_;
  using typename Core::Fresh, typename Core::Place, typename Core::Slots, typename Core::Traits;
  using typename Core::TreeType, typename Core::Value;

protected:
  using typename Core::Key;

public:
  using key_type = Key;
  using value_type = Value;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using key_compare = Less;
  using allocator_type = Allocator;
  using reference = value_type &;
  using const_reference = const value_type &;
  using pointer = typename Traits::pointer;
  using const_pointer = typename Traits::const_pointer;
  using const_iterator = typename Core::ConstIterator;
  using iterator = typename Core::Iterator;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using node_type = ElementHandle<Values, Allocator>;
  using insert_return_type = InsertReturn<iterator, node_type>;
  static_assert(std::is_same_v<typename Traits::value_type, Value>,
                "the allocator is for another type");

  Ordered() = default;
  explicit Ordered(const Less &less, const Allocator &allocator = Allocator())
      : Core(less, allocator) {}
  explicit Ordered(const Allocator &allocator) : Core(Less(), allocator) {}
  template <std::input_iterator Input>
  Ordered(Input from, Input to, const Less &less = Less(), const Allocator &allocator = Allocator())
      : Core(less, allocator) {
    insert(from, to);
  }
  template <std::input_iterator Input>
  Ordered(Input from, Input to, const Allocator &allocator)
      : Ordered(from, to, Less(), allocator) {}
  template <std::ranges::input_range Range>
  Ordered(FromRange, Range &&range, const Less &less = Less(),
          const Allocator &allocator = Allocator())
      : Core(less, allocator) {
    insert_range(std::forward<Range>(range));
  }
  template <std::ranges::input_range Range>
  Ordered(FromRange tag, Range &&range, const Allocator &allocator)
      : Ordered(tag, std::forward<Range>(range), Less(), allocator) {}
  Ordered(std::initializer_list<Value> values, const Less &less = Less(),
          const Allocator &allocator = Allocator())
      : Ordered(values.begin(), values.end(), less, allocator) {}
  Ordered(std::initializer_list<Value> values, const Allocator &allocator)
      : Ordered(values, Less(), allocator) {}
  Ordered(const Ordered &other)
      : Ordered(other, Traits::select_on_container_copy_construction(other.tree_.allocator())) {}
  Ordered(const Ordered &other, const std::type_identity_t<Allocator> &allocator)
      : Core(other.tree_.less(), allocator) {
    this->append_copies(other);
  }
  Ordered(Ordered &&other) noexcept(std::is_nothrow_copy_constructible_v<Less>)
      : Core(other.tree_.less(), std::move(other.tree_.allocator())) {
    tree_.take(other.tree_);
    other.changed();
  }
  Ordered(Ordered &&other, const std::type_identity_t<Allocator> &allocator)
      : Core(other.tree_.less(), allocator) {
    this->take_or_move(other);
  }

  Ordered &operator=(const Ordered &other) {
    if (this == &other) return *this;
    clear();
    if constexpr (Traits::propagate_on_container_copy_assignment::value)
      tree_.allocator() = other.tree_.allocator();
    tree_.less() = other.tree_.less();
    this->append_copies(other);
    return *this;
  }
  Ordered &operator=(Ordered &&other) noexcept(
      Traits::is_always_equal::value &&std::is_nothrow_move_assignable_v<Less>) {
    if (this == &other) return *this;
    clear();
    tree_.less() = std::move(other.tree_.less());
    if constexpr (Traits::propagate_on_container_move_assignment::value) {
      tree_.allocator() = std::move(other.tree_.allocator());
      tree_.take(other.tree_);
      other.changed();
    } else {
      this->take_or_move(other);
    }
    return *this;
  }
  Ordered &operator=(std::initializer_list<Value> values) {
    clear();
    insert(values.begin(), values.end());
    return *this;
  }
  ~Ordered() = default;

  allocator_type get_allocator() const noexcept { return tree_.allocator(); }
  key_compare key_comp() const { return tree_.less(); }

  iterator begin() noexcept { return at(tree_.begin()); }
  const_iterator begin() const noexcept { return at(tree_.begin()); }
  iterator end() noexcept { return at(tree_.end()); }
  const_iterator end() const noexcept { return at(tree_.end()); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return rbegin(); }
  const_reverse_iterator crend() const noexcept { return rend(); }

  [[nodiscard]] bool empty() const noexcept { return tree_.size() == 0; }
  size_type size() const noexcept { return tree_.size(); }
  size_type max_size() const noexcept {
    return std::min<size_type>(std::numeric_limits<difference_type>::max() / sizeof(Value),
                               Traits::max_size(tree_.allocator()));
  }

  void clear() noexcept {
    tree_.clear();
    changed();
  }

  // One element, at the end of its equals; for unique keys with whether it was inserted.
  template <typename... Args>
  auto emplace(Args &&...args) {
    if constexpr (Core::template is_keyed<Args...>()) {
      return Core::insert_keyed(Core::first_of(args...), std::forward<Args>(args)...);
    } else {
      Fresh slot(tree_.allocator(), std::forward<Args>(args)...);
      const Key &key = Slots::key(slot.slot());
      const Place gap = tree_.template gap<Multi>(key);
      if constexpr (!Multi) {
        if (tree_.holds(gap, key)) return std::pair{at(gap), false};
      }
      return this->inserted(this->put(gap, slot));
    }
  }
  auto insert(const Value &value) { return this->insert_keyed(Values::key(value), value); }
  auto insert(Value &&value) {
    const Key &key = Values::key(value);
    return this->insert_keyed(key, std::move(value));
  }
  template <typename P>
  requires(Values::kIsMap &&std::is_constructible_v<Value, P &&>) auto insert(P &&value) {
    return emplace(std::forward<P>(value));
  }

  // Beside the hint if it fits there. Ranges that are in order are inserted without a search.
  template <typename... Args>
  iterator emplace_hint(const_iterator hint, Args &&...args) {
    hint.origin().check_from(changes_);
    Fresh slot(tree_.allocator(), std::forward<Args>(args)...);
    return this->put_near(hint.place(), slot);
  }
  iterator insert(const_iterator hint, const Value &value) { return emplace_hint(hint, value); }
  iterator insert(const_iterator hint, Value &&value) {
    return emplace_hint(hint, std::move(value));
  }
  template <typename P>
  requires(Values::kIsMap &&std::is_constructible_v<Value, P &&>) iterator
      insert(const_iterator hint, P &&value) {
    return emplace_hint(hint, std::forward<P>(value));
  }
  template <std::input_iterator Input>
  void insert(Input from, Input to) {
    for (; from != to; ++from) emplace_hint(cend(), *from);
  }
  void insert(std::initializer_list<Value> values) { insert(values.begin(), values.end()); }
  template <std::ranges::input_range Range>
  void insert_range(Range &&range) {
    for (auto &&value : range) emplace_hint(cend(), std::forward<decltype(value)>(value));
  }

  auto insert(node_type &&node) {
    if constexpr (Multi) {
      if (node.empty()) return end();
      return this->put_node(tree_.template gap<true>(Slots::key(node.slot())), node);
    } else {
      if (node.empty()) return insert_return_type{end(), false, {}};
      const Place gap = tree_.template gap<false>(Slots::key(node.slot()));
      if (tree_.holds(gap, Slots::key(node.slot())))
        return insert_return_type{at(gap), false, std::move(node)};
      return insert_return_type{this->put_node(gap, node), true, {}};
    }
  }
  iterator insert(const_iterator hint, node_type &&node) {
    hint.origin().check_from(changes_);
    if (node.empty()) return end();
    bool is_new = true;
    const Place gap = this->gap_near(hint.place(), Slots::key(node.slot()), is_new);
    return is_new ? this->put_node(gap, node) : at(gap);
  }

  iterator erase(const_iterator position) noexcept {
    position.origin().check_from(changes_);
    const Place next = tree_.erase(position.place());
    changed();
    return at(next);
  }
  iterator erase(iterator position) noexcept requires(Values::kIsMap) {
    return erase(const_iterator(position));
  }
  iterator erase(const_iterator from, const_iterator to) noexcept {
    from.origin().check_from(changes_);
    to.origin().check_from(changes_);
    if (from == cbegin() && to == cend()) {
      clear();
      return end();
    }
    // Counted first: the last place may move with its leaf.
    size_type count = 0;
    for (const_iterator i = from; i != to; ++i) ++count;
    return this->erase_from(from.place(), count);
  }
  size_type erase(const Key &key) { return this->erase_equals(key); }
  template <typename K>
  requires(Transparent<Less> && !std::is_convertible_v<K, iterator> &&
           !std::is_convertible_v<K, const_iterator>) size_type erase(K &&key) {
    return this->erase_equals(key);
  }
  // As std::erase_if.
  template <typename Predicate>
  size_type erase_where(Predicate unwanted) {
    const size_type before = size();
    for (iterator i = begin(); i != end();) i = unwanted(*i) ? erase(i) : std::next(i);
    return before - size();
  }

  void swap(Ordered &other) noexcept(
      Traits::is_always_equal::value &&std::is_nothrow_swappable_v<Less>) {
    using std::swap;
    swap(tree_.less(), other.tree_.less());
    if constexpr (Traits::propagate_on_container_swap::value)
      swap(tree_.allocator(), other.tree_.allocator());
    tree_.swap_nodes(other.tree_);
    changed();
    other.changed();
  }

  node_type extract(const_iterator position) noexcept {
    position.origin().check_from(changes_);
    node_type node;
    const Place place = position.place();
    node.fill(tree_.allocator(), place.leaf->slots() + place.index);
    tree_.close(place);
    changed();
    return node;
  }
  node_type extract(const Key &key) {
    const Place place = tree_.find(key);
    return place == tree_.end() ? node_type() : extract(const_iterator(at(place)));
  }
  template <typename K>
  requires(Transparent<Less> && !std::is_convertible_v<K, iterator> &&
           !std::is_convertible_v<K, const_iterator>) node_type extract(K &&key) {
    const Place place = tree_.find(key);
    return place == tree_.end() ? node_type() : extract(const_iterator(at(place)));
  }

  // Elements whose keys are not here yet move over. What is thrown leaves each element in one of the two.
  template <typename OtherLess, bool OtherMulti>
  void merge(Ordered<Values, OtherLess, Allocator, OtherMulti> &other) {
    if (static_cast<void *>(&other) == static_cast<void *>(this)) return;
    auto &from = other.tree_;
    for (auto place = from.begin(); place != from.end();) {
      const Key &key = std::remove_reference_t<decltype(from)>::key(place);
      const Place gap = tree_.template gap<Multi>(key);
      if (!Multi && tree_.holds(gap, key)) {
        place = this->step(place);
        continue;
      }
      this->move_in(gap, place.leaf->slots() + place.index);
      place = from.close(place);
      other.changed();
    }
  }
  template <typename OtherLess, bool OtherMulti>
  void merge(Ordered<Values, OtherLess, Allocator, OtherMulti> &&other) {
    merge(other);
  }

  iterator find(const Key &key) { return at(tree_.find(key)); }
  const_iterator find(const Key &key) const { return at(tree_.find(key)); }
  size_type count(const Key &key) const { return this->count_equals(key); }
  bool contains(const Key &key) const { return tree_.find(key) != tree_.end(); }
  iterator lower_bound(const Key &key) { return at(tree_.template bound<false>(key)); }
  const_iterator lower_bound(const Key &key) const { return at(tree_.template bound<false>(key)); }
  iterator upper_bound(const Key &key) { return at(tree_.template bound<true>(key)); }
  const_iterator upper_bound(const Key &key) const { return at(tree_.template bound<true>(key)); }
  std::pair<iterator, iterator> equal_range(const Key &key) {
    return {lower_bound(key), upper_bound(key)};
  }
  std::pair<const_iterator, const_iterator> equal_range(const Key &key) const {
    return {lower_bound(key), upper_bound(key)};
  }

  // The same for what a transparent order can compare with keys.
  template <typename K>
  requires(Transparent<Less>) iterator find(const K &key) { return at(tree_.find(key)); }
  template <typename K>
  requires(Transparent<Less>) const_iterator find(const K &key)
  const { return at(tree_.find(key)); }
  template <typename K>
  requires(Transparent<Less>) size_type count(const K &key)
  const { return this->count_equals(key); }
  template <typename K>
  requires(Transparent<Less>) bool contains(const K &key) const {
    return tree_.find(key) != tree_.end();
  }
  template <typename K>
  requires(Transparent<Less>) iterator lower_bound(const K &key) {
    return at(tree_.template bound<false>(key));
  }
  template <typename K>
  requires(Transparent<Less>) const_iterator lower_bound(const K &key)
  const { return at(tree_.template bound<false>(key)); }
  template <typename K>
  requires(Transparent<Less>) iterator upper_bound(const K &key) {
    return at(tree_.template bound<true>(key));
  }
  template <typename K>
  requires(Transparent<Less>) const_iterator upper_bound(const K &key)
  const { return at(tree_.template bound<true>(key)); }
  template <typename K>
  requires(Transparent<Less>) std::pair<iterator, iterator> equal_range(const K &key) {
    return {lower_bound(key), upper_bound(key)};
  }
  template <typename K>
  requires(Transparent<Less>) std::pair<const_iterator, const_iterator> equal_range(const K &key)
  const { return {lower_bound(key), upper_bound(key)}; }

  friend bool operator==(const Ordered &one, const Ordered &other) {
    return one.size() == other.size() && std::equal(one.begin(), one.end(), other.begin());
  }
  friend auto operator<=>(const Ordered &one, const Ordered &other) {
    return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(),
                                                  other.end(), SynthThreeWay{});
  }

  // Ends the program where the tree is not as it should be. For tests.
  void check_invariants() const { tree_.check(); }
};

} // namespace abut::detail
