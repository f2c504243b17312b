// abut::map and abut::multimap: the interfaces of std::map and std::multimap over a tree of nodes of a few lines.
//
// Elements move: an insertion, an erasure or a merge ends all iterators, pointers and references into the container.
// Look-ups and walks change nothing, and may run in parallel. With ABUT_CHECKED=1 a stale iterator ends the program.
#pragma once

#include "detail/guides.hpp"
#include "detail/ordered.hpp"

namespace abut {

// NOLINTBEGIN(readability-identifier-naming): the standard's names

template <typename Key, typename T, typename Less = std::less<Key>,
          typename Allocator = std::allocator<std::pair<const Key, T>>>
class map : public detail::Ordered<detail::MapValues<Key, T>, Less, Allocator, false> {
  using Base = detail::Ordered<detail::MapValues<Key, T>, Less, Allocator, false>;

public:
  using mapped_type = T;
  using Base::Base;
  using typename Base::const_iterator, typename Base::iterator, typename Base::value_type;
  map() = default;
  map(const map &) = default;
  map(map &&) = default;
  map(const map &other, const std::type_identity_t<Allocator> &allocator)
      : Base(other, allocator) {}
  map(map &&other, const std::type_identity_t<Allocator> &allocator)
      : Base(std::move(other), allocator) {}
  map &operator=(const map &) = default;
  map &operator=(map &&) = default;
  map &operator=(std::initializer_list<value_type> values) {
    Base::operator=(values);
    return *this;
  }

  using value_compare = detail::ValueOrder<Less, value_type>;
  value_compare value_comp() const { return value_compare(this->key_comp()); }

  template <typename... Args>
  std::pair<iterator, bool> try_emplace(const Key &key, Args &&...args) {
    return this->insert_keyed(key, std::piecewise_construct, std::forward_as_tuple(key),
                              std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename... Args>
  std::pair<iterator, bool> try_emplace(Key &&key, Args &&...args) {
    return this->insert_keyed(key, std::piecewise_construct, std::forward_as_tuple(std::move(key)),
                              std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename... Args>
  iterator try_emplace(const_iterator hint, const Key &key, Args &&...args) {
    return this->insert_keyed_near(hint, key, std::piecewise_construct, std::forward_as_tuple(key),
                                   std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename... Args>
  iterator try_emplace(const_iterator hint, Key &&key, Args &&...args) {
    return this->insert_keyed_near(hint, key, std::piecewise_construct,
                                   std::forward_as_tuple(std::move(key)),
                                   std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename M>
  std::pair<iterator, bool> insert_or_assign(const Key &key, M &&value) {
    const auto done = try_emplace(key, std::forward<M>(value));
    if (!done.second) done.first->second = std::forward<M>(value);
    return done;
  }
  template <typename M>
  std::pair<iterator, bool> insert_or_assign(Key &&key, M &&value) {
    const auto done = try_emplace(std::move(key), std::forward<M>(value));
    if (!done.second) done.first->second = std::forward<M>(value);
    return done;
  }
  template <typename M>
  iterator insert_or_assign(const_iterator hint, const Key &key, M &&value) {
    return assign_near(hint, key, std::forward<M>(value));
  }
  template <typename M>
  iterator insert_or_assign(const_iterator hint, Key &&key, M &&value) {
    return assign_near(hint, std::move(key), std::forward<M>(value));
  }
  T &operator[](const Key &key) { return try_emplace(key).first->second; }
  T &operator[](Key &&key) { return try_emplace(std::move(key)).first->second; }
  T &at(const Key &key) {
    const auto found = this->find(key);
    if (found == this->end()) detail::throw_out_of_range("abut::map::at: no such key");
    return found->second;
  }
  const T &at(const Key &key) const { return const_cast<map *>(this)->at(key); }

  friend void swap(map &one, map &other) noexcept(noexcept(one.swap(other))) { one.swap(other); }

private:
  template <typename K, typename M>
  iterator assign_near(const_iterator hint, K &&key, M &&value) {
    const auto before = this->size();
    const iterator place = try_emplace(hint, std::forward<K>(key), std::forward<M>(value));
    if (before == this->size()) place->second = std::forward<M>(value);
    return place;
  }
};

template <typename Key, typename T, typename Less = std::less<Key>,
          typename Allocator = std::allocator<std::pair<const Key, T>>>
class multimap : public detail::Ordered<detail::MapValues<Key, T>, Less, Allocator, true> {
  using Base = detail::Ordered<detail::MapValues<Key, T>, Less, Allocator, true>;

public:
  using mapped_type = T;
  using Base::Base;
  using typename Base::value_type;
  multimap() = default;
  multimap(const multimap &) = default;
  multimap(multimap &&) = default;
  multimap(const multimap &other, const std::type_identity_t<Allocator> &allocator)
      : Base(other, allocator) {}
  multimap(multimap &&other, const std::type_identity_t<Allocator> &allocator)
      : Base(std::move(other), allocator) {}
  multimap &operator=(const multimap &) = default;
  multimap &operator=(multimap &&) = default;
  multimap &operator=(std::initializer_list<value_type> values) {
    Base::operator=(values);
    return *this;
  }

  using value_compare = detail::ValueOrder<Less, value_type>;
  value_compare value_comp() const { return value_compare(this->key_comp()); }

  friend void swap(multimap &one, multimap &other) noexcept(noexcept(one.swap(other))) {
    one.swap(other);
  }
};

ABUT_MAP_GUIDES(map)
ABUT_MAP_GUIDES(multimap)

// As std::erase_if: how many elements went.
template <typename Key, typename T, typename Less, typename Allocator, typename Predicate>
std::size_t erase_if(map<Key, T, Less, Allocator> &from, Predicate unwanted) {
  return from.erase_where(unwanted);
}
template <typename Key, typename T, typename Less, typename Allocator, typename Predicate>
std::size_t erase_if(multimap<Key, T, Less, Allocator> &from, Predicate unwanted) {
  return from.erase_where(unwanted);
}

namespace pmr {
template <typename Key, typename T, typename Less = std::less<Key>>
using map = abut::map<Key, T, Less, std::pmr::polymorphic_allocator<std::pair<const Key, T>>>;
template <typename Key, typename T, typename Less = std::less<Key>>
using multimap =
    abut::multimap<Key, T, Less, std::pmr::polymorphic_allocator<std::pair<const Key, T>>>;
} // namespace pmr
// NOLINTEND(readability-identifier-naming)

} // namespace abut
