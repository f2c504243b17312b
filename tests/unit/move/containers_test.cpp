// The containers against the standard's, under random operations.
#include "adcock/move/list.hpp"
#include "adcock/move/map.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <list>
#include <map>
#include <string>

namespace adcock {
namespace {

// Counts its copies that are alive, and throws where it is told to.
struct Guarded {
  static inline int alive = 0;
  static inline int throws_in = -1;

  explicit Guarded(int number) : value(std::to_string(number) + " and some more, not to be short") {
    enter();
  }
  Guarded(const Guarded &other) : value(other.value) { enter(); }
  Guarded(Guarded &&other) noexcept : value(std::move(other.value)) { ++alive; }
  Guarded &operator=(const Guarded &) = default;
  Guarded &operator=(Guarded &&) = default;
  ~Guarded() { --alive; }
  bool operator==(const Guarded &other) const { return value == other.value; }
  bool operator<(const Guarded &other) const { return value < other.value; }

  std::string value;

private:
  static void enter() {
    if (throws_in >= 0 && throws_in-- == 0) throw std::runtime_error("told to");
    ++alive;
  }
};

class GuardedTest : public testing::Test {
protected:
  void SetUp() override {
    Guarded::alive = 0;
    Guarded::throws_in = -1;
  }
};
using List = GuardedTest;
using Map = GuardedTest;

constexpr move::ListLayout kTinyBlocks{.block_bytes = 512};
constexpr move::ListLayout kStillBlocks{.block_bytes = 512, .moves = false};

template <move::ListLayout Layout>
void expect_like_std_list() {
  support::Random random(1);
  list<Guarded, Layout> ours;
  std::list<Guarded> model;
  for (int i = 0; i < 4000; ++i) {
    const auto place = static_cast<long>(random.below(model.size() + 1));
    const auto here = std::next(ours.begin(), place);
    const auto there = std::next(model.begin(), place);
    if (model.size() < 100 || random.below(100) < (i < 2000 ? 60u : 40u)) {
      Guarded::throws_in = random.below(20) == 0 ? 0 : -1;
      try {
        EXPECT_EQ(*ours.emplace(here, i), Guarded(i));
        model.emplace(there, i);
      } catch (const std::runtime_error &) {
      }
      Guarded::throws_in = -1;
    } else if (there != model.end()) {
      const auto next = ours.erase(here);
      const auto model_next = model.erase(there);
      ASSERT_EQ(next == ours.end(), model_next == model.end());
      if (model_next != model.end()) {
        ASSERT_EQ(*next, *model_next);
      }
    }
    if constexpr (Layout.moves) ours.check();
    ASSERT_TRUE(std::equal(ours.begin(), ours.end(), model.begin(), model.end()));
    if (i % 100 == 0) {
      ASSERT_TRUE(std::equal(ours.rbegin(), ours.rend(), model.rbegin(), model.rend()));
    }
  }
  ours.sort();
  model.sort();
  EXPECT_TRUE(std::equal(ours.begin(), ours.end(), model.begin(), model.end()));
  EXPECT_EQ(Guarded::alive, static_cast<int>(2 * model.size()));
}

TEST_F(List, DoesWhatStdListDoes) { expect_like_std_list<kTinyBlocks>(); }
TEST_F(List, DoesWhatStdListDoesWithoutMoving) { expect_like_std_list<kStillBlocks>(); }

TEST_F(List, LeavesNothingBehind) {
  {
    list<Guarded, kTinyBlocks> one;
    for (int i = 0; i < 200; ++i) one.emplace_front(i);
    list<Guarded, kTinyBlocks> copy(one);
    list<Guarded, kTinyBlocks> other(std::move(one));
    EXPECT_EQ(copy, other);
    EXPECT_TRUE(one.empty());
    other.erase(std::next(other.begin(), 10), std::prev(other.end(), 10));
    EXPECT_EQ(other.size(), 20u);
  }
  EXPECT_EQ(Guarded::alive, 0);
}

TEST_F(List, StillNodesKeepTheirAddresses) {
  list<int, kStillBlocks> numbers;
  std::map<int, const int *> where;
  support::Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const auto at = numbers.insert(
        std::next(numbers.begin(), static_cast<long>(random.below(numbers.size() + 1))), i);
    where[i] = &*at;
    if (i % 3 == 2) {
      const auto gone = std::next(numbers.begin(), static_cast<long>(random.below(numbers.size())));
      where.erase(*gone);
      numbers.erase(gone);
    }
  }
  for (const int &number : numbers) ASSERT_EQ(&number, where[number]);
}

TEST_F(List, BlocksHoldStretchesOfOneListInOrder) {
  list<std::uint64_t, kTinyBlocks> one;
  list<std::uint64_t, kTinyBlocks> two(one.pool());
  support::Random random(3);
  for (int i = 0; i < 3000; ++i) {
    auto &list = random.below(2) == 0 ? one : two;
    list.insert(std::next(list.begin(), static_cast<long>(random.below(list.size() + 1))),
                random.next());
  }
  std::map<std::uintptr_t, int> stretches;
  for (const auto *list : {&one, &two}) {
    std::uintptr_t block = 0;
    for (const std::uint64_t &value : *list) {
      const std::uintptr_t now = reinterpret_cast<std::uintptr_t>(&value) / 512;
      if (now != block) ++stretches[now];
      block = now;
    }
  }
  for (const auto &[block, count] : stretches) ASSERT_EQ(count, 1) << "a block with two stretches";
  EXPECT_LT(one.pool()->heap.ratio(), 2.0)
      << "blocks are at least half full, after insertions alone";
}

TEST_F(List, HandlesFollowTheirElements) {
  list<int, kTinyBlocks> numbers;
  std::map<int, move::Handle> handles;
  support::Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const auto at = numbers.insert(
        std::next(numbers.begin(), static_cast<long>(random.below(numbers.size() + 1))), i);
    if (i % 2 == 0) handles[i] = numbers.handle(at);
  }
  for (const auto &[number, handle] : handles) ASSERT_EQ(*numbers.find(handle), number);
  const move::Handle first = numbers.handle(numbers.begin());
  numbers.pop_front();
  EXPECT_EQ(numbers.find(first), numbers.end());
}

template <typename Key, move::TreeLayout Layout, typename MakeKey>
void expect_like_std_map(MakeKey make_key) {
  support::Random random(5);
  map<Key, Guarded, std::less<Key>, Layout> ours;
  std::map<Key, Guarded> model;
  for (int i = 0; i < 12000; ++i) {
    const Key key = make_key(random.below(700));
    if (random.below(100) < (i < 6000 ? 60u : 40u)) {
      Guarded::throws_in = random.below(20) == 0 ? 0 : -1;
      try {
        const bool is_new = ours.try_emplace(key, i).second;
        Guarded::throws_in = -1;
        ASSERT_EQ(is_new, model.try_emplace(key, i).second);
      } catch (const std::runtime_error &) {
        ASSERT_FALSE(model.contains(key));
      }
      Guarded::throws_in = -1;
    } else {
      ASSERT_EQ(ours.erase(key), model.erase(key));
    }
    ASSERT_EQ(ours.size(), model.size());
    const Key other = make_key(random.below(700));
    const auto bound = ours.lower_bound(other);
    const auto model_bound = model.lower_bound(other);
    ASSERT_EQ(bound == ours.end(), model_bound == model.end());
    if (bound != ours.end()) {
      ASSERT_EQ(bound->second, model_bound->second);
    }
    ours.check();
    if (i % 100 != 0) continue;
    ASSERT_TRUE(std::equal(ours.begin(), ours.end(), model.begin(), model.end()));
    if (i % 1000 == 0) ours.relayout();
  }
  EXPECT_EQ(Guarded::alive, static_cast<int>(2 * model.size()));
}

constexpr move::TreeLayout kMoving{};
constexpr move::TreeLayout kStill{.moves = false};

TEST_F(Map, DoesWhatStdMapDoes) {
  expect_like_std_map<std::uint64_t, kMoving>([](std::uint64_t n) { return n; });
}
TEST_F(Map, DoesWhatStdMapDoesWithLongKeys) {
  expect_like_std_map<std::string, kMoving>(
      [](std::uint64_t n) { return std::to_string(n) + " is the key, a long one"; });
}

TEST_F(Map, StillNodesKeepTheirAddresses) {
  map<int, int, std::less<int>, kStill> squares;
  std::map<int, const int *> where;
  support::Random random(6);
  for (int i = 0; i < 3000; ++i) {
    const int key = static_cast<int>(random.below(1000));
    if (const auto [at, is_new] = squares.try_emplace(key, key * key); is_new)
      where[key] = &at->second;
    const int gone = static_cast<int>(random.below(1000));
    squares.erase(gone);
    where.erase(gone);
  }
  for (const auto &[key, square] : squares) ASSERT_EQ(&square, where[key]);
}

TEST_F(Map, ErasesWhileItIsWalked) {
  map<int, int> numbers;
  for (int i = 0; i < 3000; ++i) numbers[i] = i;
  for (auto i = numbers.begin(); i != numbers.end();)
    i = i->first % 3 == 0 ? std::next(i) : numbers.erase(i);
  int expected = 0;
  for (const auto &[key, value] : numbers) {
    ASSERT_EQ(key, expected);
    expected += 3;
  }
  EXPECT_EQ(numbers.size(), 1000u);
}

TEST_F(Map, HandlesFollowTheirElements) {
  map<int, int> numbers;
  std::map<int, move::Handle> handles;
  for (int i = 0; i < 2000; ++i)
    handles[i * 7919 % 2003] = numbers.handle(numbers.try_emplace(i * 7919 % 2003, i).first);
  for (const auto &[key, handle] : handles) ASSERT_EQ(numbers.find(handle)->first, key);
  numbers.erase(0);
  EXPECT_EQ(numbers.find(handles[0]), numbers.end());
}

} // namespace
} // namespace adcock
