// What compiles with the standard's containers compiles with ours.
#include "abut/list.hpp"
#include "abut/map.hpp"
#include "abut/set.hpp"
#include "abut/stable_map.hpp"
#include "abut/stable_set.hpp"

#include <algorithm>
#include <compare>
#include <concepts>
#include <gtest/gtest.h>
#include <list>
#include <map>
#include <set>

namespace abut {
namespace {

struct Unordered {
  int number = 0;
};
struct OnlyEqual {
  int number = 0;
  bool operator==(const OnlyEqual &) const = default;
};
struct ByTheirNumber {
  bool operator()(const auto &one, const auto &other) const { return one.number < other.number; }
};

template <typename Ours, typename Standards>
constexpr bool are_compared_alike =
    std::equality_comparable<Ours> ==
    std::equality_comparable<Standards> &&std::totally_ordered<Ours> ==
    std::totally_ordered<Standards> &&std::three_way_comparable<Ours> ==
    std::three_way_comparable<Standards>;
template <typename T>
constexpr bool all_of_it_are_compared_alike = are_compared_alike<list<T>, std::list<T>>
    &&are_compared_alike<set<T, ByTheirNumber>, std::set<T, ByTheirNumber>>
        &&are_compared_alike<stable_multiset<T, ByTheirNumber>, std::multiset<T, ByTheirNumber>>
            &&are_compared_alike<multimap<int, T>, std::multimap<int, T>>
                &&are_compared_alike<stable_map<int, T>, std::map<int, T>>;

// A comparison that does not exist is not promised, of elements that hold containers of their own kind, too.
struct Branch {
  list<Branch> branches;
  bool operator==(const Branch &) const = default;
  friend bool operator<(const Branch &one, const Branch &other) {
    return one.branches < other.branches;
  }
};
TEST(Interface, ContainersAreComparedWhereTheirElementsAre) {
  EXPECT_TRUE(all_of_it_are_compared_alike<Unordered>);
  EXPECT_TRUE(all_of_it_are_compared_alike<OnlyEqual>);
  EXPECT_TRUE(all_of_it_are_compared_alike<int>);
  EXPECT_FALSE(std::totally_ordered<list<Unordered>>);
  EXPECT_TRUE(std::totally_ordered<list<int>>);
  Branch larger;
  larger.branches.emplace_back();
  EXPECT_LT(Branch(), larger);
}

// Elements are handed out as the list's own, which predicates may take as such.
template <typename T>
void expect_predicates_may_take_references() {
  const auto less = [](T &one, T &other) { return one < other; };
  const auto equal = [](T &one, T &other) { return one == other; };
  const auto is_large = [](T &value) { return value > T(6); };
  list<T> ours{T(9), T(4), T(7), T(4), T(1), T(2), T(3), T(8), T(9), T(5)};
  ours.sort(less);
  list<T> other{T(0), T(5), T(6)};
  ours.merge(other, less);
  EXPECT_EQ(ours.unique(equal), 3u);
  EXPECT_EQ(ours.remove_if(is_large), 3u);
  EXPECT_EQ(erase_if(ours, [](T &value) { return value < T(3); }), 3u);
  EXPECT_EQ(ours, (list<T>{T(3), T(4), T(5), T(6)}));
}
struct Number { // no plain element
  explicit Number(int of) : value(of) {}
  Number(const Number &other) : value(other.value) {}
  Number(Number &&other) noexcept : value(other.value) {}
  ~Number() {} // NOLINT(modernize-use-equals-default)
  auto operator<=>(const Number &) const = default;
  int value;
};
TEST(Interface, PredicatesMayTakeReferences) {
  expect_predicates_may_take_references<int>();
  expect_predicates_may_take_references<Number>();
}

// A map refers to what it was given, wherever its elements have moved.
template <typename Map>
void expect_references_stay() {
  int numbers[400] = {};
  Map map({{400, numbers[0]}});
  for (int i = 0; i < 400; ++i) map.emplace(i * 7 % 400, numbers[i * 7 % 400]);
  map.insert(std::pair<const int, int &>(401, numbers[1]));
  Map other;
  other.try_emplace(402, numbers[2]);
  map.merge(other);
  map.insert(map.extract(400));
  for (int i = 0; i < 400; i += 2) map.erase(i);
  Map moved(Map(map), map.get_allocator());
  for (auto &[key, number] : moved) ++number;
  EXPECT_EQ(moved.size(), 203u);
  EXPECT_EQ(std::count(numbers, numbers + 400, 1), 201);
  EXPECT_EQ(moved.at(1), 2) << "two keys refer to it";
}
TEST(Interface, MapsMayHoldReferences) {
  expect_references_stay<map<int, int &>>();
  expect_references_stay<stable_map<int, int &>>();
}

} // namespace
} // namespace abut
