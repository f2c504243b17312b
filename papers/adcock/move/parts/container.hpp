// Small things that the containers share.
#pragma once

#include "reserve.hpp"

#include <compare>
#include <iterator>
#include <type_traits>
#include <utility>

namespace adcock::move {

// Compares by `<` what has no `<=>`, as the standard's containers do.
struct Synthesized {
  template <typename T>
  std::weak_ordering operator()(const T &one, const T &other) const {
    if (one < other) return std::weak_ordering::less;
    return other < one ? std::weak_ordering::greater : std::weak_ordering::equivalent;
  }
};

// What a copy of a container takes its memory from.
template <typename Memory>
Memory memory_for_copy(const Memory &memory) {
  if constexpr (std::is_same_v<Memory, PageMemory>)
    return memory;
  else
    return std::allocator_traits<Memory>::select_on_container_copy_construction(memory);
}

// Whether an element can be moved without an exception. A map's key is const to its user only: it moves with the rest.
template <typename T>
inline constexpr bool kMovesSafely =
    std::is_trivially_copyable_v<T> || std::is_nothrow_move_constructible_v<T>;
template <typename Key, typename T>
inline constexpr bool kMovesSafely<std::pair<const Key, T>> = kMovesSafely<Key> &&kMovesSafely<T>;

// Moves an element to where there is none; none is left where it was.
template <typename T>
void move_element(T &from, void *to) noexcept {
  ::new (to) T(std::move(from));
  from.~T();
}
template <typename Key, typename T>
void move_element(std::pair<const Key, T> &from, void *to) noexcept {
  using Pair = std::pair<const Key, T>;
  ::new (to) Pair(std::move(const_cast<Key &>(from.first)), std::move(from.second));
  from.~Pair();
}

// What follows from `begin` and `end` of a container that can be gone over both ways.
template <typename Container, typename Iterator, typename ConstIterator>
class BothWays {
public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using reverse_iterator = std::reverse_iterator<Iterator>;
  using const_reverse_iterator = std::reverse_iterator<ConstIterator>;
  // NOLINTEND(readability-identifier-naming)

  ConstIterator cbegin() const { return self().begin(); }
  ConstIterator cend() const { return self().end(); }
  reverse_iterator rbegin() { return reverse_iterator(self().end()); }
  reverse_iterator rend() { return reverse_iterator(self().begin()); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(cend()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(cbegin()); }
  const_reverse_iterator crbegin() const { return rbegin(); }
  const_reverse_iterator crend() const { return rend(); }

private:
  friend Container;
  BothWays() = default;
  Container &self() { return static_cast<Container &>(*this); }
  const Container &self() const { return static_cast<const Container &>(*this); }
};

// What a container takes its memory from beside cells: vectors of `T`.
template <typename Memory, typename T>
struct VectorOf {
  using Type = std::vector<T, typename std::allocator_traits<Memory>::template rebind_alloc<T>>;
  static Type make(std::size_t count, const T &value, const Memory &memory) {
    return Type(count, value, typename Type::allocator_type(memory));
  }
};
template <typename T>
struct VectorOf<PageMemory, T> {
  using Type = std::vector<T>;
  static Type make(std::size_t count, const T &value, PageMemory /*memory*/) {
    return Type(count, value);
  }
};

} // namespace adcock::move
