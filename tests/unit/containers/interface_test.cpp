// What compiles with the standard's containers compiles with ours.
#include "abut/list.hpp"
#include "abut/map.hpp"
#include "abut/set.hpp"
#include "abut/stable_map.hpp"
#include "abut/stable_set.hpp"

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

} // namespace
} // namespace abut
