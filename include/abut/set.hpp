// abut::set and abut::multiset: the interfaces of std::set and std::multiset over a tree of nodes of a few lines.
//
// Elements move: an insertion, an erasure or a merge ends all iterators, pointers and references into the container.
// Look-ups and walks change nothing, and may run in parallel. With ABUT_CHECKED=1 a stale iterator ends the program.
#pragma once

#include "detail/guides.hpp"
#include "detail/ordered.hpp"

namespace abut {

// NOLINTBEGIN(readability-identifier-naming): the standard's names

template <typename Key, typename Less = std::less<Key>, typename Allocator = std::allocator<Key>>
class set : public detail::Ordered<detail::SetValues<Key>, Less, Allocator, false> {
  using Base = detail::Ordered<detail::SetValues<Key>, Less, Allocator, false>;

public:
  using value_compare = Less;
  using Base::Base;
  set() = default;
  set(const set &) = default;
  set(set &&) = default;
  set(const set &other, const std::type_identity_t<Allocator> &allocator)
      : Base(other, allocator) {}
  set(set &&other, const std::type_identity_t<Allocator> &allocator)
      : Base(std::move(other), allocator) {}
  set &operator=(const set &) = default;
  set &operator=(set &&) = default;
  set &operator=(std::initializer_list<Key> values) {
    Base::operator=(values);
    return *this;
  }
  value_compare value_comp() const { return this->key_comp(); }
  friend void swap(set &one, set &other) noexcept(noexcept(one.swap(other))) { one.swap(other); }
};

template <typename Key, typename Less = std::less<Key>, typename Allocator = std::allocator<Key>>
class multiset : public detail::Ordered<detail::SetValues<Key>, Less, Allocator, true> {
  using Base = detail::Ordered<detail::SetValues<Key>, Less, Allocator, true>;

public:
  using value_compare = Less;
  using Base::Base;
  multiset() = default;
  multiset(const multiset &) = default;
  multiset(multiset &&) = default;
  multiset(const multiset &other, const std::type_identity_t<Allocator> &allocator)
      : Base(other, allocator) {}
  multiset(multiset &&other, const std::type_identity_t<Allocator> &allocator)
      : Base(std::move(other), allocator) {}
  multiset &operator=(const multiset &) = default;
  multiset &operator=(multiset &&) = default;
  multiset &operator=(std::initializer_list<Key> values) {
    Base::operator=(values);
    return *this;
  }
  value_compare value_comp() const { return this->key_comp(); }
  friend void swap(multiset &one, multiset &other) noexcept(noexcept(one.swap(other))) {
    one.swap(other);
  }
};

ABUT_SET_GUIDES(set)
ABUT_SET_GUIDES(multiset)

// As std::erase_if: how many elements went.
template <typename Key, typename Less, typename Allocator, typename Predicate>
std::size_t erase_if(set<Key, Less, Allocator> &from, Predicate unwanted) {
  return from.erase_where(unwanted);
}
template <typename Key, typename Less, typename Allocator, typename Predicate>
std::size_t erase_if(multiset<Key, Less, Allocator> &from, Predicate unwanted) {
  return from.erase_where(unwanted);
}

namespace pmr {
template <typename Key, typename Less = std::less<Key>>
using set = abut::set<Key, Less, std::pmr::polymorphic_allocator<Key>>;
template <typename Key, typename Less = std::less<Key>>
using multiset = abut::multiset<Key, Less, std::pmr::polymorphic_allocator<Key>>;
} // namespace pmr
// NOLINTEND(readability-identifier-naming)

} // namespace abut
