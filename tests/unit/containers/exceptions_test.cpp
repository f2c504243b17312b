// What is thrown leaves containers as they were, whichever of many operations throws, and nothing is lost.
#include "abut/list.hpp"
#include "abut/map.hpp"
#include "abut/stable_map.hpp"
#include "containers/guarded.hpp"

#include <gtest/gtest.h>
#include <memory_resource>
#include <string>
#include <vector>

namespace abut {
namespace {

// Throws at the first, second, ... chance, until nothing is thrown.
template <typename Container, typename Action>
void expect_strong(const Container &begin, Action action) {
  for (long chance = 0; chance < 10'000; ++chance) {
    Container container(begin);
    Fuse::left = chance;
    bool threw = false;
    try {
      action(container);
    } catch (const std::runtime_error &) {
      threw = true;
    }
    Fuse::left = -1;
    if constexpr (requires { container.check_invariants(); }) container.check_invariants();
    if (!threw) return;
    ASSERT_EQ(container, begin) << "at chance " << chance;
  }
  FAIL() << "throws without end";
}

template <typename Map>
void expect_maps_strong() {
  {
    using Value = typename Map::mapped_type;
    for (const int size : {0, 1, 8, 30, 31, 500, 1000}) {
      Map map;
      for (int i = 0; i < size; ++i) map.try_emplace(i * 7919 % 4001, i);
      for (const int key : {-1, 1, 2000, 5000}) {
        expect_strong(map, [&](Map &m) { m.try_emplace(key, 1); });
        expect_strong(map, [&](Map &m) { m.emplace(key, Value(1)); });
        expect_strong(map, [&](Map &m) { m.insert(m.end(), {key, Value(1)}); });
        expect_strong(map, [&](Map &m) { m.erase(key); });
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    Map full;
    for (int i = 0; i < 961; ++i)
      full.try_emplace(i, i); // the root is full, and so is its last leaf
    expect_strong(full, [](Map &m) { m.try_emplace(15, 1).second ? void() : void(m.erase(15)); });
    for (int i = 1; i < 90; ++i) {
      expect_strong(full, [&](Map &m) { m.try_emplace(961 + i, 1); });
      full.try_emplace(961 + i, i);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(BytesOut::now, 0);
  EXPECT_EQ(Map::mapped_type::alive, 0);
}

template <template <typename...> typename Map, bool Safe>
using Strict =
    Map<int, Guarded<Safe>, ThrowingLess, CountingAllocator<std::pair<const int, Guarded<Safe>>>>;

TEST(Exceptions, LeaveMapsAsTheyWere) {
  expect_maps_strong<Strict<map, true>>();
  expect_maps_strong<Strict<map, false>>();
}
TEST(Exceptions, LeaveStableMapsAsTheyWere) {
  expect_maps_strong<Strict<stable_map, true>>();
  expect_maps_strong<Strict<stable_map, false>>();
}

TEST(Exceptions, MergeLosesNothing) {
  using Map = Strict<map, true>;
  Map one;
  Map other;
  for (int i = 0; i < 200; ++i) (i % 2 ? one : other).try_emplace(i, i);
  for (long chance = 0;; ++chance) {
    Map here(one);
    Map there(other);
    Fuse::left = chance;
    bool threw = false;
    try {
      here.merge(there);
    } catch (const std::runtime_error &) {
      threw = true;
    }
    Fuse::left = -1;
    here.check_invariants();
    there.check_invariants();
    ASSERT_EQ(here.size() + there.size(), 200u);
    if (!threw) break;
  }
}

template <template <typename...> typename Map>
void expect_a_move_that_throws_leaves_both_in_order() {
  using Strings = Map<std::pmr::string, int>;
  Strings from;
  for (int i = 0; i < 100; ++i)
    from.emplace("a key that has memory of its own " + std::to_string(i), i);
  char room[3500];
  std::pmr::monotonic_buffer_resource little(room, sizeof room, std::pmr::null_memory_resource());
  Strings to(&little);
  EXPECT_THROW(to = std::move(from), std::bad_alloc);
  to.check_invariants();
  from.check_invariants(); // NOLINT(bugprone-use-after-move)
  for (const auto &[key, value] : from) EXPECT_FALSE(key.empty()) << value;
}
TEST(Exceptions, LeaveOrderWhereAMoveThrows) {
  expect_a_move_that_throws_leaves_both_in_order<pmr::map>();
  expect_a_move_that_throws_leaves_both_in_order<pmr::stable_map>();
}

TEST(Exceptions, LeaveListsAsTheyWere) {
  {
    using Value = Guarded<false>;
    using List = list<Value, CountingAllocator<Value>>;
    List begin;
    for (int i = 0; i < 30; ++i) begin.emplace_back(i * 7 % 31);
    const std::vector<Value> more(5, Value(3));
    expect_strong(begin, [](List &l) { l.emplace_front(1); });
    expect_strong(begin,
                  [&](List &l) { l.insert(std::next(l.begin(), 9), more.begin(), more.end()); });
    expect_strong(begin, [&](List &l) { l.assign(more.begin(), more.end()); });
    expect_strong(begin, [](List &l) { l.sort(ThrowingLess()); });
    expect_strong(begin, [&](List &l) { List copy(l); });
  }
  EXPECT_EQ(BytesOut::now, 0);
  EXPECT_EQ(Guarded<false>::alive, 0);
}

} // namespace
} // namespace abut
