// abut::stable_set and abut::stable_multiset: std::set's interface and promise, that elements stay where they are until they
// are erased. A tree of nodes of a few lines finds the elements, which are linked in the order of their keys.
//
// `relayout` moves all elements into the order of their keys, and ends iterators, pointers and references.
#pragma once

#include "detail/map_interface.hpp"
#include "detail/stable_core.hpp"

namespace abut {
// NOLINTBEGIN(readability-identifier-naming): the standard's names

template <typename Key, typename Less = std::less<Key>, typename Allocator = std::allocator<Key>>
class stable_set : public detail::SetInterface<
                       detail::StableCore<detail::SetValues<Key>, Less, Allocator, false>> {
  using Base =
      detail::SetInterface<detail::StableCore<detail::SetValues<Key>, Less, Allocator, false>>;
  ABUT_ORDERED_MEMBERS(stable_set)
};
ABUT_SET_GUIDES(stable_set);

template <typename Key, typename Less = std::less<Key>, typename Allocator = std::allocator<Key>>
class stable_multiset : public detail::SetInterface<
                            detail::StableCore<detail::SetValues<Key>, Less, Allocator, true>> {
  using Base =
      detail::SetInterface<detail::StableCore<detail::SetValues<Key>, Less, Allocator, true>>;
  ABUT_ORDERED_MEMBERS(stable_multiset)
};
ABUT_SET_GUIDES(stable_multiset);

namespace pmr {
template <typename Key, typename Less = std::less<Key>>
using stable_set = abut::stable_set<Key, Less, std::pmr::polymorphic_allocator<Key>>;
template <typename Key, typename Less = std::less<Key>>
using stable_multiset = abut::stable_multiset<Key, Less, std::pmr::polymorphic_allocator<Key>>;
} // namespace pmr
// NOLINTEND(readability-identifier-naming)
} // namespace abut
