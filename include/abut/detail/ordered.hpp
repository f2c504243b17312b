// What maps, sets and their multi kinds have in common: the standard's interface over a tree.
#pragma once

#include "origin.hpp"
#include "ranges.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace abut::detail {

template <typename Iterator, typename Handle>
struct InsertReturn {
  Iterator position;
  bool inserted = false;
  Handle node;
};

// `Core` is how elements are held: `OrderedCore` or `StableCore`.
template <typename Core>
class Ordered : protected Core {
protected:
  using Core::at, Core::kMulti, Core::kIsMap;
  using typename Core::Key, typename Core::Less, typename Core::Allocator, typename Core::Value;
  using typename Core::Traits;
  template <typename>
  friend class Ordered;
  static constexpr bool kErasesSafely = Core::kErasesSafely;
  // A key of another type, which is no iterator.
  template <typename K>
  static constexpr bool kIsOtherKey =
      Transparent<Less> && !std::is_convertible_v<K, typename Core::Iterator> &&
      !std::is_convertible_v<K, typename Core::ConstIterator>;
  template <typename P>
  static constexpr bool kIsValue = std::is_same_v<std::remove_cvref_t<P>, Value>;
  // What else a map's elements may be made of.
  template <typename P>
  static constexpr bool
      kIsOtherValue = kIsMap && (kMulti || !kIsValue<P>)&&std::is_constructible_v<Value, P &&>;

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
  using node_type = typename Core::Handle;
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
      : Ordered(other, Traits::select_on_container_copy_construction(other.memory())) {}
  Ordered(const Ordered &other, const std::type_identity_t<Allocator> &allocator)
      : Core(other.order(), allocator) {
    this->copy_all(other);
  }
  Ordered(Ordered &&other) noexcept(
      std::is_nothrow_copy_constructible_v<Less> &&std::is_nothrow_move_constructible_v<Allocator>)
      : Core(other.order(), std::move(other.memory())) {
    this->take_all(other);
  }
  Ordered(Ordered &&other, const std::type_identity_t<Allocator> &allocator)
      : Core(other.order(), allocator) {
    this->take_or_move(other);
  }

  Ordered &operator=(const Ordered &other) {
    if (this == std::addressof(other)) return *this;
    clear();
    if constexpr (Traits::propagate_on_container_copy_assignment::value)
      this->memory() = other.memory();
    this->order() = other.order();
    this->copy_all(other);
    return *this;
  }
  Ordered &operator=(Ordered &&other) noexcept(
      Traits::is_always_equal::value &&std::is_nothrow_move_assignable_v<Less>) {
    if (this == std::addressof(other)) return *this;
    clear();
    this->order() = std::move(other.order());
    if constexpr (Traits::propagate_on_container_move_assignment::value) {
      this->memory() = std::move(other.memory());
      this->take_all(other);
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

  allocator_type get_allocator() const noexcept { return this->memory(); }
  key_compare key_comp() const { return this->order(); }

  iterator begin() noexcept { return at(this->first()); }
  const_iterator begin() const noexcept { return at(this->first()); }
  iterator end() noexcept { return at(this->behind()); }
  const_iterator end() const noexcept { return at(this->behind()); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return rbegin(); }
  const_reverse_iterator crend() const noexcept { return rend(); }

  [[nodiscard]] bool empty() const noexcept { return this->elements() == 0; }
  size_type size() const noexcept { return this->elements(); }
  size_type max_size() const noexcept {
    return std::min<size_type>(std::numeric_limits<difference_type>::max() / sizeof(Value),
                               Traits::max_size(this->memory()));
  }

  void clear() noexcept { this->clear_all(); }

  // One element, at the end of its equals; for unique keys with whether it was inserted.
  template <typename... Args>
  auto emplace(Args &&...args) {
    if constexpr (Core::Elements::template is_keyed<Args...>())
      return this->insert_keyed(Core::Elements::key_in(args...), std::forward<Args>(args)...);
    else
      return this->insert_made(std::forward<Args>(args)...);
  }
  auto insert(const Value &value) { return emplace(value); }
  auto insert(Value &&value) { return emplace(std::move(value)); }
  template <typename P>
  requires(kIsOtherValue<P>) auto insert(P &&value) { return emplace(std::forward<P>(value)); }

  // Beside the hint if it fits there. Ranges that are in order are inserted without a search.
  template <typename... Args>
  iterator emplace_hint(const_iterator hint, Args &&...args) {
    if constexpr (Core::Elements::template is_keyed<Args...>())
      return this->insert_keyed_near(hint, Core::Elements::key_in(args...),
                                     std::forward<Args>(args)...);
    else
      return this->insert_made_near(hint, std::forward<Args>(args)...);
  }
  iterator insert(const_iterator hint, const Value &value) { return emplace_hint(hint, value); }
  iterator insert(const_iterator hint, Value &&value) {
    return emplace_hint(hint, std::move(value));
  }
  template <typename P>
  requires(kIsOtherValue<P>) iterator insert(const_iterator hint, P &&value) {
    return emplace_hint(hint, std::forward<P>(value));
  }
  template <std::input_iterator Input>
  void insert(Input from, Input to) {
    for (; from != to; ++from) append(*from);
  }
  void insert(std::initializer_list<Value> values) { insert(values.begin(), values.end()); }
  template <std::ranges::input_range Range>
  void insert_range(Range &&range) {
    for (auto &&value : range) append(std::forward<decltype(value)>(value));
  }

  auto insert(node_type &&node) {
    if constexpr (kMulti) {
      return node.empty() ? end() : this->put_handle(node).first;
    } else {
      if (node.empty()) return insert_return_type{end(), false, {}};
      const auto [place, is_new] = this->put_handle(node);
      return insert_return_type{place, is_new, std::move(node)};
    }
  }
  iterator insert(const_iterator hint, node_type &&node) {
    return node.empty() ? end() : this->put_handle_near(hint, node);
  }

  iterator erase(const_iterator position) noexcept(kErasesSafely) {
    return this->erase_from(position, 1);
  }
  iterator erase(iterator position) noexcept(kErasesSafely) requires(kIsMap) {
    return erase(const_iterator(position));
  }
  iterator erase(const_iterator from, const_iterator to) noexcept(kErasesSafely) {
    if (from == cbegin() && to == cend()) {
      clear();
      return end();
    }
    // Counted first: the last place may move.
    return this->erase_from(from, static_cast<size_type>(std::distance(from, to)));
  }
  size_type erase(const Key &key) { return this->erase_equals(key); }
  template <typename K>
  requires(kIsOtherKey<K>) size_type erase(K &&key) { return this->erase_equals(key); }
  // As std::erase_if.
  template <typename Predicate>
  size_type erase_where(Predicate unwanted) {
    const size_type before = size();
    this->erase_each(unwanted);
    return before - size();
  }

  void swap(Ordered &other) noexcept(
      Traits::is_always_equal::value &&std::is_nothrow_swappable_v<Less>) {
    using std::swap;
    swap(this->order(), other.order());
    if constexpr (Traits::propagate_on_container_swap::value) swap(this->memory(), other.memory());
    this->swap_all(other);
  }

  node_type extract(const_iterator position) { return this->take_out(position); }
  node_type extract(const Key &key) { return extract_key(key); }
  template <typename K>
  requires(kIsOtherKey<K>) node_type extract(K &&key) { return extract_key(key); }

  // Elements whose keys are not here yet move over. What is thrown leaves each element in one of the two.
  template <typename OtherCore>
  requires(std::is_same_v<typename Ordered<OtherCore>::node_type, node_type>) void merge(
      Ordered<OtherCore> &other) {
    if (static_cast<void *>(&other) != static_cast<void *>(this))
      this->merge_from(static_cast<OtherCore &>(other));
  }
  template <typename OtherCore>
  requires(std::is_same_v<typename Ordered<OtherCore>::node_type, node_type>) void merge(
      Ordered<OtherCore> &&other) {
    merge(other);
  }

  iterator find(const Key &key) { return at(this->find_place(key)); }
  const_iterator find(const Key &key) const { return at(this->find_place(key)); }
  size_type count(const Key &key) const { return this->count_equals(key); }
  bool contains(const Key &key) const { return this->find_place(key) != this->behind(); }
  iterator lower_bound(const Key &key) { return at(this->template bound_place<false>(key)); }
  const_iterator lower_bound(const Key &key) const {
    return at(this->template bound_place<false>(key));
  }
  iterator upper_bound(const Key &key) { return at(this->template bound_place<true>(key)); }
  const_iterator upper_bound(const Key &key) const {
    return at(this->template bound_place<true>(key));
  }
  std::pair<iterator, iterator> equal_range(const Key &key) {
    return {lower_bound(key), upper_bound(key)};
  }
  std::pair<const_iterator, const_iterator> equal_range(const Key &key) const {
    return {lower_bound(key), upper_bound(key)};
  }

  // The same for what a transparent order can compare with keys.
  template <typename K>
  requires(Transparent<Less>) iterator find(const K &key) { return at(this->find_place(key)); }
  template <typename K>
  requires(Transparent<Less>) const_iterator find(const K &key)
  const { return at(this->find_place(key)); }
  template <typename K>
  requires(Transparent<Less>) size_type count(const K &key)
  const { return this->count_equals(key); }
  template <typename K>
  requires(Transparent<Less>) bool contains(const K &key) const {
    return this->find_place(key) != this->behind();
  }
  template <typename K>
  requires(Transparent<Less>) iterator lower_bound(const K &key) {
    return at(this->template bound_place<false>(key));
  }
  template <typename K>
  requires(Transparent<Less>) const_iterator lower_bound(const K &key)
  const { return at(this->template bound_place<false>(key)); }
  template <typename K>
  requires(Transparent<Less>) iterator upper_bound(const K &key) {
    return at(this->template bound_place<true>(key));
  }
  template <typename K>
  requires(Transparent<Less>) const_iterator upper_bound(const K &key)
  const { return at(this->template bound_place<true>(key)); }
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
  // A template, since clang 14 tests a plain friend's requirement while elements may be incomplete.
  template <typename V = Value>
  requires(HasOrder<V>) friend auto operator<=>(const Ordered &one, const Ordered &other) {
    return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(),
                                                  other.end(), SynthThreeWay{});
  }

  // Of containers whose elements stay: moves them into the order of their keys, which ends iterators and references. A template,
  // since clang 14 tests what a plain member requires while elements may be incomplete.
  template <typename Own = Core>
  void relayout() requires requires(Own &own) {
    own.relayout();
  }
  { Own::relayout(); }

  // Ends the program where the tree is not as it should be. For tests.
  void check_invariants() const { this->check_all(); }

private:
  template <typename P>
  void append(P &&value) {
    if constexpr (kIsValue<P> && !kMulti)
      insert(cend(), std::forward<P>(value));
    else
      emplace_hint(cend(), std::forward<P>(value));
  }
  template <typename K>
  node_type extract_key(const K &key) {
    const auto place = this->find_place(key);
    return place == this->behind() ? node_type() : extract(const_iterator(at(place)));
  }
};

} // namespace abut::detail
