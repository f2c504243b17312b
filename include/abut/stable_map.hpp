// abut::stable_map and abut::stable_multimap: std::map's interface and promise, that elements stay where they are until they
// are erased. A tree of nodes of a few lines finds the elements, which are linked in the order of their keys.
//
// `relayout` moves all elements into the order of their keys, and ends iterators, pointers and references.
#pragma once

#include "detail/map_interface.hpp"
#include "detail/stable_core.hpp"

namespace abut {
// NOLINTBEGIN(readability-identifier-naming): the standard's names

template <typename Key, typename T, typename Less = std::less<Key>,
          typename Allocator = std::allocator<std::pair<const Key, T>>>
class stable_map : public detail::UniqueMapInterface<
                       detail::StableCore<detail::MapValues<Key, T>, Less, Allocator, false>> {
  using Base = detail::UniqueMapInterface<
      detail::StableCore<detail::MapValues<Key, T>, Less, Allocator, false>>;
  ABUT_ORDERED_MEMBERS(stable_map)
};
ABUT_MAP_GUIDES(stable_map);

template <typename Key, typename T, typename Less = std::less<Key>,
          typename Allocator = std::allocator<std::pair<const Key, T>>>
class stable_multimap : public detail::MapInterface<
                            detail::StableCore<detail::MapValues<Key, T>, Less, Allocator, true>> {
  using Base =
      detail::MapInterface<detail::StableCore<detail::MapValues<Key, T>, Less, Allocator, true>>;
  ABUT_ORDERED_MEMBERS(stable_multimap)
};
ABUT_MAP_GUIDES(stable_multimap);

namespace pmr {
template <typename Key, typename T, typename Less = std::less<Key>>
using stable_map =
    abut::stable_map<Key, T, Less, std::pmr::polymorphic_allocator<std::pair<const Key, T>>>;
template <typename Key, typename T, typename Less = std::less<Key>>
using stable_multimap =
    abut::stable_multimap<Key, T, Less, std::pmr::polymorphic_allocator<std::pair<const Key, T>>>;
} // namespace pmr
// NOLINTEND(readability-identifier-naming)
} // namespace abut
