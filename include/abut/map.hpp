// abut::map and abut::multimap: the interfaces of std::map and std::multimap over a tree of nodes of a few lines.
//
// Elements move: an insertion, an erasure or a merge ends all iterators, pointers and references into the container.
// Look-ups and walks change nothing, and may run in parallel. With ABUT_CHECKED=1 a stale iterator ends the program.
#pragma once

#include "detail/map_interface.hpp"
#include "detail/ordered_core.hpp"

namespace abut {
// NOLINTBEGIN(readability-identifier-naming): the standard's names

template <typename Key, typename T, typename Less = std::less<Key>,
          typename Allocator = std::allocator<std::pair<const Key, T>>>
class map : public detail::UniqueMapInterface<
                detail::OrderedCore<detail::MapValues<Key, T>, Less, Allocator, false>> {
  using Base = detail::UniqueMapInterface<
      detail::OrderedCore<detail::MapValues<Key, T>, Less, Allocator, false>>;
  ABUT_ORDERED_MEMBERS(map)
};
ABUT_MAP_GUIDES(map);

template <typename Key, typename T, typename Less = std::less<Key>,
          typename Allocator = std::allocator<std::pair<const Key, T>>>
class multimap : public detail::MapInterface<
                     detail::OrderedCore<detail::MapValues<Key, T>, Less, Allocator, true>> {
  using Base =
      detail::MapInterface<detail::OrderedCore<detail::MapValues<Key, T>, Less, Allocator, true>>;
  ABUT_ORDERED_MEMBERS(multimap)
};
ABUT_MAP_GUIDES(multimap);

namespace pmr {
template <typename Key, typename T, typename Less = std::less<Key>>
using map = abut::map<Key, T, Less, std::pmr::polymorphic_allocator<std::pair<const Key, T>>>;
template <typename Key, typename T, typename Less = std::less<Key>>
using multimap =
    abut::multimap<Key, T, Less, std::pmr::polymorphic_allocator<std::pair<const Key, T>>>;
} // namespace pmr
// NOLINTEND(readability-identifier-naming)
} // namespace abut
