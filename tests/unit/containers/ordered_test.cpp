// Maps and sets against the standard's, under random operations.
#include "abut/map.hpp"
#include "abut/set.hpp"
#include "abut/stable_map.hpp"
#include "abut/stable_set.hpp"
#include "containers/guarded.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <memory_resource>
#include <set>
#include <string>

namespace abut {
namespace {

template <typename Key>
Key key_of(std::size_t number) {
  if constexpr (std::is_same_v<Key, std::string>)
    return "key number " + std::to_string(number);
  else
    return Key(number);
}

template <typename Container, typename Model>
void expect_same(const Container &ours, const Model &model) {
  ours.check_invariants();
  ASSERT_EQ(ours.size(), model.size());
  ASSERT_TRUE(std::equal(ours.begin(), ours.end(), model.begin(), model.end()));
  ASSERT_TRUE(std::equal(ours.rbegin(), ours.rend(), model.rbegin(), model.rend()));
}

// One random operation on both.
template <typename Container, typename Model, typename Value>
void change(Container &ours, Model &model, support::Random &random, const Value &value,
            const auto &key) {
  switch (random.below(9)) {
  case 0:
  case 1:
  case 2:
    ours.insert(value);
    model.insert(value);
    break;
  case 3: ASSERT_EQ(ours.erase(key), model.erase(key)); break;
  case 4: {
    const auto here = ours.lower_bound(key);
    const auto there = model.lower_bound(key);
    ASSERT_EQ(here == ours.end(), there == model.end());
    if (there == model.end()) break;
    ASSERT_EQ(*here, *there);
    const auto next = ours.erase(here);
    const auto model_next = model.erase(there);
    ASSERT_EQ(next == ours.end(), model_next == model.end());
    if (model_next != model.end()) {
      ASSERT_EQ(*next, *model_next);
    }
    break;
  }
  case 5:
    ours.emplace_hint(ours.upper_bound(key), value);
    model.emplace_hint(model.upper_bound(key), value);
    break;
  case 6:
    ours.insert(ours.begin(), value);
    model.insert(model.begin(), value);
    break;
  case 7: {
    ASSERT_EQ(ours.count(key), model.count(key));
    auto node = ours.extract(key);
    auto model_node = model.extract(key);
    ASSERT_EQ(node.empty(), model_node.empty());
    ours.insert(std::move(node));
    model.insert(std::move(model_node));
    break;
  }
  default: {
    const auto range = ours.equal_range(key);
    const auto model_range = model.equal_range(key);
    ASSERT_TRUE(std::equal(range.first, range.second, model_range.first, model_range.second));
    ours.erase(range.first, range.second);
    model.erase(model_range.first, model_range.second);
  }
  }
}

template <typename Container, typename Model>
void expect_like_model(std::size_t keys, bool shrinks = false) {
  support::Random random(keys);
  Container ours;
  Model model;
  using Key = typename Model::key_type;
  for (int i = 0; i < 20'000; ++i) {
    const Key key = key_of<Key>(random.below(keys));
    if constexpr (requires { typename Model::mapped_type; }) {
      change(ours, model, random, typename Model::value_type(key, i), key);
    } else {
      change(ours, model, random, key, key);
    }
    if (testing::Test::HasFatalFailure()) return;
    if (i % 2000 == 0) {
      expect_same(ours, model);
      const Container copy(ours);
      expect_same(copy, model);
      Container other;
      other = std::move(ours);
      ours.swap(other);
      if constexpr (requires { ours.relayout(); }) ours.relayout();
      expect_same(ours, model);
    }
    if (shrinks && i % 5000 == 4999) {
      while (model.size() > 3) {
        const auto at = static_cast<long>(random.below(std::min<std::size_t>(model.size(), 40)));
        ours.erase(std::next(ours.begin(), at));
        model.erase(std::next(model.begin(), at));
      }
      expect_same(ours, model);
    }
  }
  expect_same(ours, model);
}

TEST(Ordered, BehavesLikeTheStandards) {
  for (const std::size_t keys : {12u, 500u, 50'000u}) {
    expect_like_model<map<std::uint64_t, int>, std::map<std::uint64_t, int>>(keys, true);
    expect_like_model<multimap<std::uint64_t, int>, std::multimap<std::uint64_t, int>>(keys);
    expect_like_model<map<std::string, int>, std::map<std::string, int>>(keys, true);
    expect_like_model<multimap<std::string, int>, std::multimap<std::string, int>>(keys);
    expect_like_model<set<int>, std::set<int>>(keys);
    expect_like_model<multiset<std::string>, std::multiset<std::string>>(keys);
    expect_like_model<map<short, int, std::greater<>>, std::map<short, int, std::greater<>>>(keys);
  }
}

TEST(StableOrdered, BehavesLikeTheStandards) {
  for (const std::size_t keys : {12u, 500u, 50'000u}) {
    expect_like_model<stable_map<std::uint64_t, int>, std::map<std::uint64_t, int>>(keys, true);
    expect_like_model<stable_multimap<std::uint64_t, int>, std::multimap<std::uint64_t, int>>(keys);
    expect_like_model<stable_map<std::string, int>, std::map<std::string, int>>(keys, true);
    expect_like_model<stable_multiset<std::string>, std::multiset<std::string>>(keys);
    expect_like_model<stable_set<int>, std::set<int>>(keys);
  }
}

TEST(StableOrdered, ElementsStay) {
  stable_map<int, std::string> map;
  std::map<int, const std::string *> where;
  support::Random random(5);
  for (int i = 0; i < 5000; ++i) {
    const int key = static_cast<int>(random.below(1000));
    if (random.below(3) == 0) {
      map.erase(key);
      where.erase(key);
    } else {
      where[key] = &map.try_emplace(key, std::to_string(key)).first->second;
    }
    for (const auto &[known, address] : where) ASSERT_EQ(*address, std::to_string(known));
    if (i % 50 != 0) continue;
    for (const auto &[known, address] : where) ASSERT_EQ(&map.find(known)->second, address);
  }
}

TEST(StableOrdered, RelayoutPutsElementsIntoTheOrderOfTheirKeys) {
  stable_map<int, int> map;
  for (int i = 0; i < 1000; ++i) map[i * 7919 % 1009] = i;
  const auto descents = [&] {
    int found = 0;
    const void *before = nullptr;
    for (const auto &element : map) found += std::exchange(before, &element) > &element;
    return found;
  };
  EXPECT_GT(descents(), 200);
  map.relayout();
  EXPECT_EQ(descents(), 0);
  map.check_invariants();
}

TEST(Ordered, ExtremeKeysAreFound) {
  map<std::uint64_t, int> up;
  map<double, int, std::greater<>> down;
  constexpr auto kLast = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t i = 0; i < 3000; ++i) up[kLast - i] = up[i] = 1;
  for (int i = 0; i < 3000; ++i) down[-i] = 1;
  down[-std::numeric_limits<double>::infinity()] = 1;
  up.check_invariants();
  down.check_invariants();
  EXPECT_TRUE(up.contains(kLast) && up.contains(0) && up.upper_bound(kLast) == up.end());
  EXPECT_TRUE(down.contains(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(up.erase(kLast), 1u);
  EXPECT_FALSE(up.contains(kLast));
}

TEST(Ordered, WhatComesInOrderFillsItsLeaves) {
  CountingAllocator<std::pair<const std::uint64_t, std::uint64_t>> allocator;
  map<std::uint64_t, std::uint64_t, std::less<>, decltype(allocator)> ascending;
  for (std::uint64_t i = 0; i < 100'000; ++i) ascending.emplace_hint(ascending.end(), i, i);
  EXPECT_LT(BytesOut::now, 100'000 * 19);
  ascending.clear();
  for (std::uint64_t i = 100'000; i-- > 0;) ascending[i] = i;
  EXPECT_LT(BytesOut::now, 100'000 * 19);
}

struct Prefix {
  char first;
};
struct ByPrefix {
  using is_transparent = void;
  bool operator()(const std::string &one, const std::string &other) const { return one < other; }
  bool operator()(const std::string &one, Prefix other) const { return one[0] < other.first; }
  bool operator()(Prefix one, const std::string &other) const { return one.first < other[0]; }
};

template <typename Set>
void expect_all_of_a_prefix() {
  Set words;
  for (char first = 'a'; first <= 'z'; ++first)
    for (int i = 0; i < 100; ++i) words.insert(first + std::to_string(i));
  EXPECT_EQ(words.count(Prefix{'m'}), 100u);
  EXPECT_EQ((*words.find(Prefix{'m'}))[0], 'm');
  EXPECT_EQ(words.erase(Prefix{'m'}), 100u);
  EXPECT_FALSE(words.contains(Prefix{'m'}));
  EXPECT_EQ(words.size(), 2500u);
}
TEST(Ordered, ATransparentOrderFindsAllThatItFindsEqual) {
  expect_all_of_a_prefix<set<std::string, ByPrefix>>();
  expect_all_of_a_prefix<stable_set<std::string, ByPrefix>>();
}

TEST(Ordered, MergeTakesWhatIsNotThere) {
  map<int, std::string> one{{1, "one"}, {2, "two"}};
  map<int, std::string, std::greater<>> other{{2, "zwei"}, {3, "drei"}};
  one.merge(other);
  EXPECT_EQ(one, (map<int, std::string>{{1, "one"}, {2, "two"}, {3, "drei"}}));
  EXPECT_EQ(other.size(), 1u);
  stable_multiset<int> all{1, 2};
  all.merge(stable_set<int>{2, 3});
  EXPECT_EQ(all, (stable_multiset<int>{1, 2, 2, 3}));
}

TEST(Ordered, ArgumentsAreDeduced) {
  const std::vector<std::pair<int, long>> pairs{{1, 2}, {3, 4}};
  map from_iterators(pairs.begin(), pairs.end());
  map from_a_range(from_range, pairs, std::greater<int>());
  set from_a_list{3, 1, 2};
  static_assert(std::is_same_v<decltype(from_iterators), map<int, long>>);
  static_assert(std::is_same_v<decltype(from_a_range), map<int, long, std::greater<int>>>);
  static_assert(std::is_same_v<decltype(from_a_list), set<int>>);
  EXPECT_EQ(from_a_range.begin()->first, 3);
  EXPECT_EQ(erase_if(from_a_list, [](int i) { return i > 1; }), 2u);
  from_iterators.insert_or_assign(1, 5);
  EXPECT_EQ(from_iterators.at(1), 5);
  EXPECT_THROW(from_iterators.at(2), std::out_of_range);
}

struct Either {
  int descending;
  bool operator()(int a, int b) const { return descending != 0 ? b < a : a < b; }
};
template <typename Map>
void expect_ascending() {
  alignas(Map) unsigned char memory[sizeof(Map)];
  std::memset(memory, 0x5a, sizeof memory);
  Map *map = ::new (static_cast<void *>(memory)) Map;
  for (int i = 0; i < 5; ++i) (*map)[i] = i;
  EXPECT_EQ(map->begin()->first, 0);
  map->~Map();
}
TEST(Ordered, AnOrderThatIsNotGivenIsValueInitialised) {
  expect_ascending<map<int, int, Either>>();
  expect_ascending<stable_map<int, int, Either>>();
}

struct Fixed {
  const int key;
  bool operator<(const Fixed &other) const { return key < other.key; }
};
TEST(Ordered, KeysNeedNotBeAssignable) {
  map<Fixed, int> keys;
  stable_map<Fixed, int> stable_keys;
  for (int i = 0; i < 1000; ++i) {
    keys.emplace(Fixed{i * 7 % 1000}, i);
    stable_keys.emplace(Fixed{i * 7 % 1000}, i);
  }
  int next = 0;
  for (const auto &[key, value] : keys) EXPECT_EQ(key.key, next++);
  EXPECT_EQ(stable_keys.size(), 1000u);
}

// A value whose constructor puts more into the map that it is for.
template <typename Map>
struct Registers {
  explicit Registers(Map &map, int left) {
    if (left > 0) map.try_emplace(100 - left, map, left - 1);
  }
};
template <template <typename...> class Map>
struct MapOfItself : Map<int, Registers<MapOfItself<Map>>> {};

template <template <typename...> class Map>
void expect_it_may_change_in_a_constructor() {
  MapOfItself<Map> map;
  map.try_emplace(0, map, 80);
  map.try_emplace(map.end(), 200, map, 90);
  EXPECT_EQ(map.size(), 92u);
  map.check_invariants();
  for (int i = 10; i < 100; ++i) EXPECT_TRUE(map.contains(i)) << i;
}
TEST(Ordered, MayChangeWhileAnElementIsMade) {
  expect_it_may_change_in_a_constructor<map>();
  expect_it_may_change_in_a_constructor<stable_map>();
}

// Nothing is searched for, which among equal keys would take as many steps as there are.
struct CountingLess {
  static inline std::size_t calls = 0;
  bool operator()(int one, int other) const { return ++calls, one < other; }
};
TEST(StableOrdered, EqualElementsAreTakenOutInOnePass) {
  stable_multimap<int, int, CountingLess> map;
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) map.emplace_hint(map.end(), i / 10'000, i);
  std::size_t seen = 0;
  CountingLess::calls = 0;
  EXPECT_EQ(erase_if(map, [&](const auto &each) { return ++seen % 2 == 0 && each.second >= 0; }),
            static_cast<std::size_t>(kCount / 2));
  EXPECT_EQ(seen, static_cast<std::size_t>(kCount));
  EXPECT_EQ(CountingLess::calls, 0u);
  map.check_invariants();
  int expected = 0;
  for (const auto &[key, value] : map) {
    ASSERT_EQ(value, expected);
    expected += 2;
  }
  EXPECT_EQ(erase_if(map, [](const auto &) { return true; }), static_cast<std::size_t>(kCount / 2));
  EXPECT_TRUE(map.empty());
}

template <template <typename...> class Map>
void expect_it_assigns_copies_of_what_stays_the_callers() {
  Map<int, std::string> map;
  std::string value = "a value that is too long for its own object";
  const std::string expected = value;
  for (int round = 0; round < 2; ++round) { // not there, and there
    map.insert_or_assign(1, value);
    map.insert_or_assign(map.end(), 2, value);
    const int key = 3;
    map.insert_or_assign(key, value);
    map.insert_or_assign(map.end(), key, value);
    EXPECT_EQ(value, expected);
    for (const auto &[number, each] : map) EXPECT_EQ(each, expected) << number;
  }
  map.insert_or_assign(1, std::move(value));
  EXPECT_EQ(map.at(1), expected);
  EXPECT_TRUE(value.empty()); // NOLINT(bugprone-use-after-move)
}
TEST(Ordered, InsertOrAssignMovesOnlyWhatIsGivenAway) {
  expect_it_assigns_copies_of_what_stays_the_callers<map>();
  expect_it_assigns_copies_of_what_stays_the_callers<stable_map>();
}

template <typename Container>
void expect_a_list_keeps_order_and_memory(auto... values) {
  std::pmr::monotonic_buffer_resource own;
  Container container([](int one, int other) { return one > other; }, &own);
  container = {values...};
  EXPECT_EQ(container.get_allocator().resource(), &own);
  ASSERT_EQ(container.size(), sizeof...(values));
  EXPECT_EQ(*container.begin(), std::max({values...}));
}
TEST(Ordered, AssignedListsLeaveTheOrderAndTheAllocator) {
  using Down = bool (*)(int, int);
  expect_a_list_keeps_order_and_memory<pmr::set<int, Down>>(1, 3, 2);
  expect_a_list_keeps_order_and_memory<pmr::multiset<int, Down>>(1, 3, 3);
  expect_a_list_keeps_order_and_memory<pmr::stable_set<int, Down>>(1, 3, 2);
  expect_a_list_keeps_order_and_memory<pmr::stable_multiset<int, Down>>(1, 3, 3);
  using Pair = std::pair<const int, int>;
  expect_a_list_keeps_order_and_memory<pmr::map<int, int, Down>>(Pair(1, 0), Pair(3, 0));
  expect_a_list_keeps_order_and_memory<pmr::multimap<int, int, Down>>(Pair(1, 0), Pair(3, 0));
  expect_a_list_keeps_order_and_memory<pmr::stable_map<int, int, Down>>(Pair(1, 0), Pair(3, 0));
  expect_a_list_keeps_order_and_memory<pmr::stable_multimap<int, int, Down>>(Pair(1, 0),
                                                                             Pair(3, 0));
}

} // namespace
} // namespace abut
