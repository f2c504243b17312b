// What makes containers cheap where there are many small ones: bytes, as a heap hands them out.
#include "abut/list.hpp"
#include "abut/map.hpp"
#include "abut/set.hpp"
#include "abut/stable_map.hpp"
#include "abut/stable_set.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace abut {
namespace {

// What the C library's heap takes for blocks that are out, over all types.
struct HeapBytes {
  static inline std::size_t now = 0;
  static std::size_t of(std::size_t bytes) {
    return std::max<std::size_t>(32, (bytes + sizeof(std::size_t) + 15) / 16 * 16);
  }
};
template <typename T>
struct HeapAllocator {
  using value_type = T;
  HeapAllocator() = default;
  template <typename U>
  HeapAllocator(const HeapAllocator<U> &) {} // NOLINT(google-explicit-constructor)
  T *allocate(std::size_t count) {
    HeapBytes::now += HeapBytes::of(count * sizeof(T));
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T *memory, std::size_t count) noexcept {
    HeapBytes::now -= HeapBytes::of(count * sizeof(T));
    std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const HeapAllocator &) const { return true; }
};

template <typename Container>
void add(Container &to, int number) {
  if constexpr (requires { to.push_back(typename Container::value_type()); })
    to.push_back(typename Container::value_type());
  else if constexpr (requires { typename Container::mapped_type; })
    to.emplace(number, typename Container::mapped_type());
  else
    to.insert(number);
}

template <typename Container>
std::size_t bytes_of(int elements) {
  Container container;
  const std::size_t before = HeapBytes::now;
  for (int i = 0; i < elements; ++i) add(container, i * 7 % 23);
  return HeapBytes::now - before;
}

// As many of each size from none to twenty.
template <typename Container>
double bytes_of_small_ones() {
  std::size_t bytes = 0;
  for (int elements = 0; elements <= 20; ++elements)
    bytes += sizeof(Container) + bytes_of<Container>(elements);
  return static_cast<double>(bytes);
}

template <typename Ours, typename Standard>
void expect_cheap(double most = 1.2) {
  static_assert(sizeof(Ours) <= 48);
  EXPECT_EQ(bytes_of<Ours>(0), 0u);
  EXPECT_LE(bytes_of<Ours>(1), bytes_of<Standard>(1) + 16);
  EXPECT_LE(bytes_of_small_ones<Ours>(), bytes_of_small_ones<Standard>() * most);
  EXPECT_EQ(HeapBytes::now, 0u);
}

struct Wide {
  std::byte bytes[200];
};
template <typename T>
using Lists = HeapAllocator<T>;
template <typename Key, typename T>
using Pairs = HeapAllocator<std::pair<const Key, T>>;
template <typename Key>
using Less = std::less<Key>;

template <typename Key, typename T>
void expect_maps_cheap() {
  using Standard = std::map<Key, T, Less<Key>, Pairs<Key, T>>;
  expect_cheap<map<Key, T, Less<Key>, Pairs<Key, T>>, Standard>();
  expect_cheap<stable_map<Key, T, Less<Key>, Pairs<Key, T>>, Standard>();
}

TEST(Small, MapsAreCheap) {
  expect_maps_cheap<int, int>();
  expect_maps_cheap<std::uint64_t, std::uint64_t>();
  expect_maps_cheap<std::uint64_t, Wide>();
}
TEST(Small, SetsAreCheap) {
  using Standard = std::set<int, Less<int>, HeapAllocator<int>>;
  expect_cheap<set<int, Less<int>, HeapAllocator<int>>, Standard>();
  expect_cheap<stable_set<int, Less<int>, HeapAllocator<int>>, Standard>();
}
TEST(Small, ListsAreCheap) {
  expect_cheap<list<int, Lists<int>>, std::list<int, Lists<int>>>();
  expect_cheap<list<std::uint64_t, Lists<std::uint64_t>>,
               std::list<std::uint64_t, Lists<std::uint64_t>>>(1.12);
  expect_cheap<list<Wide, Lists<Wide>>, std::list<Wide, Lists<Wide>>>();
}

// Elements that hold containers of their own kind, which is incomplete there.
struct Part {
  list<Part> parts;
  map<int, Part> by_number;
  stable_map<int, Part> by_age;
};
TEST(Small, ElementsMayBeOfIncompleteTypes) {
  Part whole;
  whole.parts.emplace_back().parts.emplace_back();
  whole.by_number[1].by_number[2];
  whole.by_age[1].by_age[2];
  EXPECT_EQ(whole.parts.front().parts.size() + whole.by_number[1].by_number.size() +
                whole.by_age[1].by_age.size(),
            3u);
}

} // namespace
} // namespace abut
