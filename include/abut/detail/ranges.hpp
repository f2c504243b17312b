// What C++23 has for ranges, for C++20 as well.
#pragma once

#include <compare>
#include <ranges>

#if __has_include(<version>)
#include <version>
#endif

namespace abut {
#if defined(__cpp_lib_containers_ranges)
using FromRange = std::from_range_t;
inline constexpr FromRange from_range = std::from_range; // NOLINT(readability-identifier-naming)
#else
struct FromRange {
  explicit FromRange() = default;
};
// As std::from_range: `abut::map<K, V> m(abut::from_range, range)`.
inline constexpr FromRange from_range{}; // NOLINT(readability-identifier-naming)
#endif
} // namespace abut

namespace abut::detail {

template <typename T>
concept HasOrder = std::three_way_comparable<T> || requires(const T &value) {
  { value < value } -> std::convertible_to<bool>;
};

// How the standard compares what has `<` but no `<=>`.
struct SynthThreeWay {
  template <typename T, typename U>
  constexpr auto operator()(const T &one, const U &other) const {
    if constexpr (std::three_way_comparable_with<T, U>)
      return one <=> other;
    else if (one < other)
      return std::weak_ordering::less;
    else if (other < one)
      return std::weak_ordering::greater;
    else
      return std::weak_ordering::equivalent;
  }
};

template <typename Less>
concept Transparent = requires {
  typename Less::is_transparent;
};

// What deduction guides take for an allocator or an order.
template <typename T>
concept AllocatorLike = requires(T allocator) {
  typename T::value_type;
  allocator.allocate(std::size_t{1});
};
template <typename T>
concept OrderLike = !AllocatorLike<T>;

} // namespace abut::detail
