// abut::map and abut::set: the interfaces of std::map and std::set, nodes that stay clustered in lines.
//
// Iterators, pointers and references, by layout:
//   TreeLayout{}                 good until the next insertion or erasure
//   TreeLayout{.moves = false}   good until the element is erased or `relayout` called, as std::map's
// A handle (`map.handle(i)`, `map.find(handle)`) names an element through all moves, in either layout.
// A value whose move constructor may throw never moves. Look-ups move nothing.
#pragma once

#include "balanced_tree.hpp"

#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <tuple>

namespace abut {
namespace move {

// What map and set share. `Key` is what is looked up, `Value` what is stored.
template <typename Key, typename Value, typename KeyOf, typename Less, TreeLayout Layout>
class OrderedContainer {
protected:
  using Tree = BalancedTree<Key, Value, KeyOf, Less, Layout>;

  template <bool Const>
  class Iterator {
  public:
    // NOLINTBEGIN(readability-identifier-naming): the standard's names
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = std::conditional_t<Const, const Value *, Value *>;
    using reference = std::conditional_t<Const, const Value &, Value &>;
    // NOLINTEND(readability-identifier-naming)

    Iterator() = default;
    operator Iterator<true>() const requires(!Const) { return {tree_, cell_}; }
    reference operator*() const { return tree_->pool().value(cell_); }
    pointer operator->() const { return &**this; }
    Iterator &operator++() {
      cell_ = tree_->neighbour(cell_, 1);
      return *this;
    }
    Iterator &operator--() {
      cell_ = found(cell_) ? tree_->neighbour(cell_, 0) : tree_->last();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator old = *this;
      ++*this;
      return old;
    }
    Iterator operator--(int) {
      const Iterator old = *this;
      --*this;
      return old;
    }
    bool operator==(const Iterator &other) const { return cell_ == other.cell_; }

  private:
    friend class OrderedContainer;
    template <bool>
    friend class Iterator;
    Iterator(Tree *tree, CellId cell) : tree_(tree), cell_(cell) {}

    Tree *tree_ = nullptr;
    CellId cell_ = kNoCell;
  };

public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using key_type = Key;
  using value_type = Value;
  using key_compare = Less;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = Value &;
  using const_reference = const Value &;
  using const_iterator = Iterator<true>;
  using iterator = Iterator<std::is_same_v<Key, Value>>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  // NOLINTEND(readability-identifier-naming)

  explicit OrderedContainer(const Less &less = Less()) : tree_(std::make_unique<Tree>(less)) {}
  OrderedContainer(const OrderedContainer &other) : OrderedContainer(other.tree_->less()) {
    insert(other.begin(), other.end());
  }
  // What was moved from stays usable, for which it allocates.
  OrderedContainer(OrderedContainer &&other) // NOLINT(performance-noexcept-move-constructor)
      : tree_(std::exchange(other.tree_, std::make_unique<Tree>(other.tree_->less()))) {}
  OrderedContainer &operator=(OrderedContainer other) noexcept {
    swap(other);
    return *this;
  }
  void swap(OrderedContainer &other) noexcept { std::swap(tree_, other.tree_); }

  iterator begin() { return at(tree_->first()); }
  iterator end() { return at(kNoCell); }
  const_iterator begin() const { return at(tree_->first()); }
  const_iterator end() const { return at(kNoCell); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  size_type size() const { return tree_->size(); }
  bool empty() const { return size() == 0; }
  void clear() noexcept { tree_->clear(); }
  key_compare key_comp() const { return tree_->less(); }

  iterator find(const Key &key) { return at(tree_->find(key)); }
  const_iterator find(const Key &key) const { return at(tree_->find(key)); }
  bool contains(const Key &key) const { return found(tree_->find(key)); }
  size_type count(const Key &key) const { return contains(key) ? 1 : 0; }
  iterator lower_bound(const Key &key) { return at(tree_->bound(key, false)); }
  const_iterator lower_bound(const Key &key) const { return at(tree_->bound(key, false)); }
  iterator upper_bound(const Key &key) { return at(tree_->bound(key, true)); }
  const_iterator upper_bound(const Key &key) const { return at(tree_->bound(key, true)); }
  std::pair<iterator, iterator> equal_range(const Key &key) {
    return {lower_bound(key), upper_bound(key)};
  }

  std::pair<iterator, bool> insert(const Value &value) { return add(KeyOf{}(value), value); }
  std::pair<iterator, bool> insert(Value &&value) { return add(KeyOf{}(value), std::move(value)); }
  template <std::input_iterator Input>
  void insert(Input from, Input to) {
    for (; from != to; ++from) insert(*from);
  }
  template <typename... Args>
  std::pair<iterator, bool> emplace(Args &&...args) {
    return insert(Value(std::forward<Args>(args)...));
  }

  size_type erase(const Key &key) {
    if (!contains(key)) return 0;
    tree_->erase(Key(key)); // `key` may be the element's own
    return 1;
  }
  // The element after the erased one.
  iterator erase(const_iterator position) {
    tree_->pool().watched = tree_->neighbour(position.cell_, 1);
    tree_->erase(Key(tree_->pool().key(position.cell_)));
    return at(std::exchange(tree_->pool().watched, kNoCell));
  }

  // Lays all nodes out anew: clusters in lines in pages. Ends what iterators and pointers there are.
  void relayout() {
    tree_->relayout();
    tree_->pool().trim();
  }
  // For large containers: fewer translations of addresses, memory in steps of 2 MiB.
  void prefer_huge_pages() { tree_->pool().prefer_huge_pages(); }
  Handle handle(const_iterator position) { return tree_->pool().handles.of(position.cell_); }
  iterator find(Handle handle) { return at(tree_->pool().handles.cell(handle)); }
  // Ends the program where the tree is out of order or balance. For tests.
  void check() const { tree_->check(); }
  // Cells for each node: how much memory the layout takes.
  double ratio() const { return tree_->pool().ratio(); }

  friend bool operator==(const OrderedContainer &one, const OrderedContainer &other) {
    return one.size() == other.size() && std::equal(one.begin(), one.end(), other.begin());
  }

protected:
  iterator at(CellId cell) const { return {tree_.get(), cell}; }
  template <typename... Args>
  std::pair<iterator, bool> add(const Key &key, Args &&...args) {
    const auto [cell, is_new] = tree_->insert(
        key, [&](CellId cell) { tree_->pool().construct(cell, std::forward<Args>(args)...); });
    return {at(cell), is_new};
  }

  std::unique_ptr<Tree> tree_;
};

struct FirstOf {
  template <typename Pair>
  const auto &operator()(const Pair &pair) const {
    return pair.first;
  }
};

} // namespace move

// NOLINTBEGIN(readability-identifier-naming): the standard's names
template <typename Key, typename T, typename Less = std::less<Key>,
          move::TreeLayout Layout = move::TreeLayout{}>
class map
    : public move::OrderedContainer<Key, std::pair<const Key, T>, move::FirstOf, Less, Layout> {
  using Base = move::OrderedContainer<Key, std::pair<const Key, T>, move::FirstOf, Less, Layout>;

public:
  using mapped_type = T;
  using Base::Base;
  map() = default;
  map(std::initializer_list<typename Base::value_type> values) {
    this->insert(values.begin(), values.end());
  }
  template <std::input_iterator Input>
  map(Input from, Input to) {
    this->insert(from, to);
  }

  template <typename... Args>
  std::pair<typename Base::iterator, bool> try_emplace(const Key &key, Args &&...args) {
    return this->add(key, std::piecewise_construct, std::forward_as_tuple(key),
                     std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename M>
  std::pair<typename Base::iterator, bool> insert_or_assign(const Key &key, M &&value) {
    if (const auto found = this->find(key); found != this->end()) {
      found->second = std::forward<M>(value);
      return {found, false};
    }
    return try_emplace(key, std::forward<M>(value));
  }
  T &operator[](const Key &key) { return try_emplace(key).first->second; }
  T &at(const Key &key) {
    const auto found = this->find(key);
    if (found == this->end()) throw std::out_of_range("abut::map::at: no such key");
    return found->second;
  }
  const T &at(const Key &key) const { return const_cast<map *>(this)->at(key); }
};

template <typename Key, typename Less = std::less<Key>,
          move::TreeLayout Layout = move::TreeLayout{}>
class set : public move::OrderedContainer<Key, Key, std::identity, Less, Layout> {
  using Base = move::OrderedContainer<Key, Key, std::identity, Less, Layout>;

public:
  using Base::Base;
  set() = default;
  set(std::initializer_list<Key> values) { this->insert(values.begin(), values.end()); }
  template <std::input_iterator Input>
  set(Input from, Input to) {
    this->insert(from, to);
  }
};
// NOLINTEND(readability-identifier-naming)

} // namespace abut
