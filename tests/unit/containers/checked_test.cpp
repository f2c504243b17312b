// With ABUT_CHECKED, wrong use of iterators ends the program with a message.
#define ABUT_CHECKED 1
#include "abut/list.hpp"
#include "abut/map.hpp"
#include "abut/stable_map.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

TEST(CheckedDeathTest, StaleIteratorsOfMapsAreDetected) {
  map<int, int> map{{1, 1}, {2, 2}};
  const auto place = map.find(1);
  EXPECT_EQ(map.insert({1, 5}).second, false); // changes nothing
  EXPECT_EQ(place->second, 1);
  map[3] = 3;
  EXPECT_DEATH(static_cast<void>(*place), "stale iterator");
  EXPECT_DEATH(map.erase(place), "stale iterator");
  EXPECT_DEATH(++map.end(), "the end is incremented");
  EXPECT_DEATH(static_cast<void>(*map.end()), "the end is dereferenced");
  EXPECT_DEATH(--map.begin(), "the beginning is decremented");
  EXPECT_DEATH(map.erase(map.end()), "the end is erased");
  abut::map<int, int> other{{1, 1}};
  EXPECT_DEATH(map.erase(other.begin()), "another container");
  EXPECT_DEATH(static_cast<void>(map.begin() == other.begin()), "two containers");
}

TEST(CheckedDeathTest, IteratorsToErasedElementsAreDetected) {
  list<int> list{1, 2, 3};
  const auto first = list.begin();
  const auto second = std::next(first);
  list.erase(first);
  EXPECT_EQ(*second, 2);
  EXPECT_DEATH(static_cast<void>(*first), "erased element");
  list.relayout();
  EXPECT_DEATH(static_cast<void>(*second), "stale iterator");
  stable_map<int, int> map{{1, 1}, {2, 2}};
  const auto one = map.find(1);
  map[3] = 3;
  EXPECT_EQ(one->second, 1);
  map.erase(one);
  EXPECT_DEATH(static_cast<void>(*one), "erased element");
}

TEST(CheckedDeathTest, AnotherContainersIteratorsAreDetected) {
  list<int> list{1, 2};
  abut::list<int> other_list{1};
  EXPECT_DEATH(list.erase(other_list.begin()), "another container");
  stable_map<int, int> map{{1, 1}};
  stable_map<int, int> other_map{{1, 1}};
  EXPECT_DEATH(map.erase(other_map.begin()), "another container");
  EXPECT_DEATH(map.erase(map.end()), "the end is erased");
}

} // namespace
} // namespace abut
