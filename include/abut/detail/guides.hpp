// Deduction guides, as the standard's maps and sets have them, and what compares a map's elements.
#pragma once

#include "ranges.hpp"

#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory_resource>
#include <utility>

namespace abut::detail {

// Compares a map's elements by their keys.
template <typename Less, typename Value>
class ValueOrder {
public:
  explicit ValueOrder(Less less) : comp(std::move(less)) {}
  bool operator()(const Value &one, const Value &other) const {
    return comp(one.first, other.first);
  }

protected:
  [[no_unique_address]] Less comp; // NOLINT(readability-identifier-naming): the standard's name
};

// The second of a pair's types, which need not be complete.
template <typename Pair>
struct Second;
template <typename Key, typename T>
struct Second<std::pair<Key, T>> {
  using Type = T;
};

template <typename Input>
using KeyOf = std::remove_const_t<typename std::iterator_traits<Input>::value_type::first_type>;
template <typename Input>
using MappedOf = typename std::iterator_traits<Input>::value_type::second_type;
template <typename Input>
using PairOf = std::pair<const KeyOf<Input>, MappedOf<Input>>;
template <typename Input>
using ValueOf = typename std::iterator_traits<Input>::value_type;
template <typename Range>
using RangeIterator = std::ranges::iterator_t<Range>;

} // namespace abut::detail

#define ABUT_MAP_GUIDES(NAME)                                                                      \
  template <std::input_iterator Input, detail::OrderLike Less = std::less<detail::KeyOf<Input>>,   \
            detail::AllocatorLike A = std::allocator<detail::PairOf<Input>>>                       \
  NAME(Input, Input, Less = Less(), A = A())                                                       \
      -> NAME<detail::KeyOf<Input>, detail::MappedOf<Input>, Less, A>;                             \
  template <typename K, typename T, detail::OrderLike Less = std::less<std::remove_const_t<K>>,    \
            detail::AllocatorLike A = std::allocator<std::pair<const K, T>>>                       \
  NAME(std::initializer_list<std::pair<K, T>>, Less = Less(), A = A())                             \
      -> NAME<std::remove_const_t<K>, T, Less, A>;                                                 \
  template <std::input_iterator Input, detail::AllocatorLike A>                                    \
  NAME(Input, Input, A)                                                                            \
      -> NAME<detail::KeyOf<Input>, detail::MappedOf<Input>, std::less<detail::KeyOf<Input>>, A>;  \
  template <typename K, typename T, detail::AllocatorLike A>                                       \
  NAME(std::initializer_list<std::pair<K, T>>, A)                                                  \
      -> NAME<std::remove_const_t<K>, T, std::less<std::remove_const_t<K>>, A>;                    \
  template <std::ranges::input_range R,                                                            \
            detail::OrderLike Less = std::less<detail::KeyOf<detail::RangeIterator<R>>>,           \
            detail::AllocatorLike A = std::allocator<detail::PairOf<detail::RangeIterator<R>>>>    \
  NAME(FromRange, R &&, Less = Less(), A = A())                                                    \
      ->NAME<detail::KeyOf<detail::RangeIterator<R>>, detail::MappedOf<detail::RangeIterator<R>>,  \
             Less, A>

#define ABUT_SET_GUIDES(NAME)                                                                      \
  template <std::input_iterator Input, detail::OrderLike Less = std::less<detail::ValueOf<Input>>, \
            detail::AllocatorLike A = std::allocator<detail::ValueOf<Input>>>                      \
  NAME(Input, Input, Less = Less(), A = A()) -> NAME<detail::ValueOf<Input>, Less, A>;             \
  template <typename K, detail::OrderLike Less = std::less<K>,                                     \
            detail::AllocatorLike A = std::allocator<K>>                                           \
  NAME(std::initializer_list<K>, Less = Less(), A = A()) -> NAME<K, Less, A>;                      \
  template <std::input_iterator Input, detail::AllocatorLike A>                                    \
  NAME(Input, Input, A) -> NAME<detail::ValueOf<Input>, std::less<detail::ValueOf<Input>>, A>;     \
  template <typename K, detail::AllocatorLike A>                                                   \
  NAME(std::initializer_list<K>, A) -> NAME<K, std::less<K>, A>;                                   \
  template <std::ranges::input_range R,                                                            \
            detail::OrderLike Less = std::less<std::ranges::range_value_t<R>>,                     \
            detail::AllocatorLike A = std::allocator<std::ranges::range_value_t<R>>>               \
  NAME(FromRange, R &&, Less = Less(), A = A())->NAME<std::ranges::range_value_t<R>, Less, A>
