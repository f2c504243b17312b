// adcock::unordered_map: a hash table of chains, the part of std::unordered_map's interface that does without buckets. A
// node lies in the line of its chain's first, if there is room; whenever the table grows, all chains are laid out again in
// the order of the table.
//
// Iterators, pointers and references, by layout:
//   ChainLayout{}                 good until the table grows (`reserve` keeps it from that) or the element is erased
//   ChainLayout{.moves = false}   good until the element is erased or `relayout` called
// A handle (`map.handle(i)`, `map.find(handle)`) names an element through all moves. Values must move without throwing.
// `Memory` may be an allocator: nodes then lie in what it gives, and go with the table where that is moved or swapped.
#pragma once

#include "parts/chain_table.hpp"

#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <tuple>

namespace adcock {
template <typename Key, typename T, typename Hash = std::hash<Key>,
          typename Equal = std::equal_to<Key>, move::ChainLayout Layout = move::ChainLayout{},
          typename Memory = move::PageMemory>
class unordered_map // NOLINT(readability-identifier-naming): the standard's name
    : move::ChainTable<Key, T, Hash, Equal, Layout, Memory> {
  using Table = move::ChainTable<Key, T, Hash, Equal, Layout, Memory>;
  using Table::chains_;
  using Table::first_from;
  using Table::grow;
  using Table::hash_of;
  using Table::heap_;
  using Table::lookup;
  using Table::slot;
  using CellId = move::CellId;
  using Value = std::pair<const Key, T>;

  template <bool Const>
  using Iterator = move::ChainIterator<unordered_map, Value, Const>;

public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using key_type = Key;
  using mapped_type = T;
  using value_type = Value;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using hasher = Hash;
  using key_equal = Equal;
  using reference = Value &;
  using const_reference = const Value &;
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;
  using allocator_type = Memory;
  using node_type = move::MapNodeHandle<Key, T>;
  using insert_return_type = move::InsertReturn<iterator, node_type>;
  // NOLINTEND(readability-identifier-naming)

  unordered_map() : unordered_map(Memory()) {}
  explicit unordered_map(const Memory &memory) : Table(memory) {}
  unordered_map(std::initializer_list<Value> values, const Memory &memory = Memory())
      : unordered_map(values.begin(), values.end(), memory) {}
  template <std::input_iterator Input>
  unordered_map(Input from, Input to, const Memory &memory = Memory()) : unordered_map(memory) {
    insert(from, to);
  }
  unordered_map(const unordered_map &other)
      : unordered_map(move::memory_for_copy(other.get_allocator())) {
    reserve(other.size());
    insert(other.begin(), other.end());
  }
  // What was moved from stays usable, for which it allocates.
  unordered_map(unordered_map &&other) // NOLINT(performance-noexcept-move-constructor)
      : unordered_map(other.get_allocator()) {
    swap(other);
  }
  unordered_map &operator=(unordered_map other) noexcept {
    swap(other);
    return *this;
  }
  void swap(unordered_map &other) noexcept { Table::swap(other); }
  friend void swap(unordered_map &one, unordered_map &other) noexcept { one.swap(other); }
  ~unordered_map() { clear(); }
  allocator_type get_allocator() const { return Table::memory(); }

  size_type size() const { return heap_.nodes(); }
  bool empty() const { return size() == 0; }
  iterator begin() { return {this, first_from(0)}; }
  iterator end() { return {this, move::kNoCell}; }
  const_iterator begin() const { return {this, first_from(0)}; }
  const_iterator end() const { return {this, move::kNoCell}; }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  size_type max_size() const { return Table::Heap::kMostCells; }
  // There is a chain for each element that there may be before the table grows.
  size_type bucket_count() const { return chains_.size(); }
  float load_factor() const {
    return static_cast<float>(size()) / static_cast<float>(bucket_count());
  }
  hasher hash_function() const { return Hash{}; }
  key_equal key_eq() const { return Equal{}; }

  iterator find(const Key &key) { return {this, lookup(key, hash_of(key))}; }
  const_iterator find(const Key &key) const { return {this, lookup(key, hash_of(key))}; }
  bool contains(const Key &key) const { return move::found(lookup(key, hash_of(key))); }
  size_type count(const Key &key) const { return contains(key) ? 1 : 0; }
  std::pair<iterator, iterator> equal_range(const Key &key) {
    const iterator found = find(key);
    return {found, found == end() ? found : std::next(found)};
  }

  template <typename... Args>
  std::pair<iterator, bool> try_emplace(const Key &key, Args &&...args) {
    return add(key, std::piecewise_construct, std::forward_as_tuple(key),
               std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename... Args>
  std::pair<iterator, bool> try_emplace(Key &&key, Args &&...args) {
    const Key &looked_up = key;
    return add(looked_up, std::piecewise_construct, std::forward_as_tuple(std::move(key)),
               std::forward_as_tuple(std::forward<Args>(args)...));
  }
  std::pair<iterator, bool> insert(const Value &value) { return add(value.first, value); }
  std::pair<iterator, bool> insert(Value &&value) { return add(value.first, std::move(value)); }
  template <std::input_iterator Input>
  void insert(Input from, Input to) {
    for (; from != to; ++from) insert(*from);
  }
  template <typename... Args>
  std::pair<iterator, bool> emplace(Args &&...args) {
    return insert(Value(std::forward<Args>(args)...));
  }
  template <typename M>
  std::pair<iterator, bool> insert_or_assign(const Key &key, M &&value) {
    if (const iterator found = find(key); found != end()) {
      found->second = std::forward<M>(value);
      return {found, false};
    }
    return try_emplace(key, std::forward<M>(value));
  }
  T &operator[](const Key &key) { return try_emplace(key).first->second; }
  T &at(const Key &key) {
    const iterator found = find(key);
    if (found == end()) throw std::out_of_range("adcock::unordered_map::at: no such key");
    return found->second;
  }

  const T &at(const Key &key) const { return const_cast<unordered_map *>(this)->at(key); }

  size_type erase(const Key &key) {
    const iterator found = find(key);
    if (found == end()) return 0;
    erase(found);
    return 1;
  }
  // The element after the erased one.
  iterator erase(const_iterator position) {
    return take_out(position, [](Value &) {});
  }
  iterator erase(iterator position) { return erase(const_iterator(position)); }
  iterator erase(const_iterator from, const_iterator to) {
    while (from != to) from = erase(from);
    return {this, to.cell_};
  }

  // The element leaves the table and waits in the handle.
  node_type extract(const_iterator position) {
    node_type node;
    take_out(position, [&](Value &value) { node.take(value); });
    return node;
  }
  node_type extract(const Key &key) {
    const const_iterator position = find(key);
    return position == cend() ? node_type() : extract(position);
  }
  insert_return_type insert(node_type &&node) {
    if (node.empty()) return {end(), false, {}};
    const auto [position, is_new] =
        add(node.key(), std::move(node.key()), std::move(node.mapped()));
    if (!is_new) return {position, false, std::move(node)};
    node = node_type();
    return {position, true, {}};
  }
  // Takes over the elements of another table whose keys are not here yet.
  void merge(unordered_map &source) {
    for (auto i = source.begin(); i != source.end();) {
      const iterator here = i++;
      if (!contains(here->first)) insert(source.extract(here));
    }
  }
  void clear() noexcept { Table::clear(); }
  void reserve(size_type elements) {
    if (elements > chains_.size()) grow(std::bit_ceil(elements));
  }
  void rehash(size_type chains) { reserve(chains); }
  // Lays the chains end to end, in the table's order.
  void relayout() { Table::relayout(); }

  move::Handle handle(const_iterator position) { return heap_.handles.of(position.cell_); }
  // The element; end() if it has been erased.
  iterator find(move::Handle handle) { return {this, heap_.handles.cell(handle)}; }

  friend bool operator==(const unordered_map &one, const unordered_map &other) {
    if (one.size() != other.size()) return false;
    for (const auto &[key, value] : one) {
      const const_iterator found = other.find(key);
      if (found == other.end() || !(found->second == value)) return false;
    }
    return true;
  }

private:
  template <typename, typename, bool>
  friend class move::ChainIterator;

  template <typename... Args>
  std::pair<iterator, bool> add(const Key &key, Args &&...args) {
    const auto [cell, is_new] = Table::add(key, std::forward<Args>(args)...);
    return {{this, cell}, is_new};
  }
  // Erases an element after `use` has seen it; the one behind it.
  template <typename Use>
  iterator take_out(const_iterator position, Use use) {
    const iterator next = std::next(iterator(this, position.cell_));
    Table::take_out(position.cell_, use);
    return next;
  }
};

} // namespace adcock
