// adcock::map and adcock::set: the interfaces of std::map and std::set, nodes that stay clustered in lines.
//
// Iterators, pointers and references, by layout:
//   TreeLayout{}                 good until the next insertion or erasure
//   TreeLayout{.moves = false}   good until the element is erased or `relayout` called, as std::map's
// A handle (`map.handle(i)`, `map.find(handle)`) names an element through all moves, in either layout.
// A value whose move constructor may throw never moves. Look-ups move nothing. `Memory` may be an allocator: nodes then
// lie in what it gives, and go with the container where that is moved or swapped.
#pragma once

#include "parts/ordered_container.hpp"

#include <stdexcept>
#include <tuple>

namespace adcock {
namespace move {

struct FirstOf {
  template <typename Pair>
  const auto &operator()(const Pair &pair) const {
    return pair.first;
  }
};

template <typename Key, typename T, typename Less, TreeLayout Layout, typename Memory>
using MapBase = OrderedContainer<Key, std::pair<const Key, T>, FirstOf, Less, Layout, Memory,
                                 MapNodeHandle<Key, T>>;
template <typename Key, typename Less, TreeLayout Layout, typename Memory>
using SetBase = OrderedContainer<Key, Key, std::identity, Less, Layout, Memory, SetNodeHandle<Key>>;

} // namespace move

// NOLINTBEGIN(readability-identifier-naming): the standard's names
template <typename Key, typename T, typename Less = std::less<Key>,
          move::TreeLayout Layout = move::TreeLayout{}, typename Memory = move::PageMemory>
class map : public move::MapBase<Key, T, Less, Layout, Memory> {
  using Base = move::MapBase<Key, T, Less, Layout, Memory>;

public:
  using mapped_type = T;
  using Base::Base;
  map() = default;
  map(std::initializer_list<typename Base::value_type> values, const Less &less = Less(),
      const Memory &memory = Memory())
      : Base(less, memory) {
    this->insert(values.begin(), values.end());
  }
  template <std::input_iterator Input>
  map(Input from, Input to, const Less &less = Less(), const Memory &memory = Memory())
      : Base(less, memory) {
    this->insert(from, to);
  }

  // Compares elements by their keys.
  struct value_compare {
    Less less;
    bool operator()(const auto &one, const auto &other) const {
      return less(one.first, other.first);
    }
  };
  value_compare value_comp() const { return {this->key_comp()}; }

  template <typename... Args>
  std::pair<typename Base::iterator, bool> try_emplace(const Key &key, Args &&...args) {
    return this->add(key, std::piecewise_construct, std::forward_as_tuple(key),
                     std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename... Args>
  std::pair<typename Base::iterator, bool> try_emplace(Key &&key, Args &&...args) {
    const Key &looked_up = key;
    return this->add(looked_up, std::piecewise_construct, std::forward_as_tuple(std::move(key)),
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
  T &operator[](Key &&key) { return try_emplace(std::move(key)).first->second; }
  T &at(const Key &key) {
    const auto found = this->find(key);
    if (found == this->end()) throw std::out_of_range("adcock::map::at: no such key");
    return found->second;
  }
  const T &at(const Key &key) const { return const_cast<map *>(this)->at(key); }
};

template <typename Key, typename Less = std::less<Key>,
          move::TreeLayout Layout = move::TreeLayout{}, typename Memory = move::PageMemory>
class set : public move::SetBase<Key, Less, Layout, Memory> {
  using Base = move::SetBase<Key, Less, Layout, Memory>;

public:
  using value_compare = Less;
  using Base::Base;
  set() = default;
  set(std::initializer_list<Key> values, const Less &less = Less(), const Memory &memory = Memory())
      : Base(less, memory) {
    this->insert(values.begin(), values.end());
  }
  template <std::input_iterator Input>
  set(Input from, Input to, const Less &less = Less(), const Memory &memory = Memory())
      : Base(less, memory) {
    this->insert(from, to);
  }
  value_compare value_comp() const { return this->key_comp(); }
};

// As std::erase_if: how many elements went.
template <typename Key, typename T, typename Less, move::TreeLayout Layout, typename Memory,
          typename Predicate>
std::size_t erase_if(map<Key, T, Less, Layout, Memory> &from, Predicate unwanted) {
  return from.erase_if(unwanted);
}
template <typename Key, typename Less, move::TreeLayout Layout, typename Memory, typename Predicate>
std::size_t erase_if(set<Key, Less, Layout, Memory> &from, Predicate unwanted) {
  return from.erase_if(unwanted);
}
// NOLINTEND(readability-identifier-naming)

} // namespace adcock
