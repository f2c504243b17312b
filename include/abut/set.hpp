// abut::set and abut::multiset: the interfaces of std::set and std::multiset over a tree of nodes of a few lines.
//
// Elements move: an insertion, an erasure or a merge ends all iterators, pointers and references into the container.
// Look-ups and walks change nothing, and may run in parallel. With ABUT_CHECKED=1 a stale iterator ends the program.
#pragma once

#include "detail/map_interface.hpp"
#include "detail/ordered_core.hpp"

namespace abut {
// NOLINTBEGIN(readability-identifier-naming): the standard's names

template <typename Key, typename Less = std::less<Key>, typename Allocator = std::allocator<Key>>
class set : public detail::SetInterface<
                detail::OrderedCore<detail::SetValues<Key>, Less, Allocator, false>> {
  using Base =
      detail::SetInterface<detail::OrderedCore<detail::SetValues<Key>, Less, Allocator, false>>;
  ABUT_ORDERED_MEMBERS(set)
};
ABUT_SET_GUIDES(set);

template <typename Key, typename Less = std::less<Key>, typename Allocator = std::allocator<Key>>
class multiset : public detail::SetInterface<
                     detail::OrderedCore<detail::SetValues<Key>, Less, Allocator, true>> {
  using Base =
      detail::SetInterface<detail::OrderedCore<detail::SetValues<Key>, Less, Allocator, true>>;
  ABUT_ORDERED_MEMBERS(multiset)
};
ABUT_SET_GUIDES(multiset);

namespace pmr {
template <typename Key, typename Less = std::less<Key>>
using set = abut::set<Key, Less, std::pmr::polymorphic_allocator<Key>>;
template <typename Key, typename Less = std::less<Key>>
using multiset = abut::multiset<Key, Less, std::pmr::polymorphic_allocator<Key>>;
} // namespace pmr
// NOLINTEND(readability-identifier-naming)
} // namespace abut
