// The containers in memory that an allocator gives, which may fail at any request; elements that wait outside of containers.
#include "adcock/move/forward_list.hpp"
#include "adcock/move/list.hpp"
#include "adcock/move/map.hpp"
#include "adcock/move/unordered_map.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace adcock {
namespace {

// What all allocators of one test share: the bytes that are out, and how many requests more are granted.
struct Account {
  std::size_t bytes = 0;
  std::size_t requests = 0;
  int granted = -1; // -1: all
};

template <typename T>
struct Counted {
  using value_type = T;

  Account *account;
  explicit Counted(Account *of) : account(of) {}
  template <typename U>
  explicit Counted(const Counted<U> &other) : account(other.account) {}

  T *allocate(std::size_t count) {
    if (account->granted == 0) throw std::bad_alloc();
    if (account->granted > 0) --account->granted;
    ++account->requests;
    account->bytes += count * sizeof(T);
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T *from, std::size_t count) {
    account->bytes -= count * sizeof(T);
    std::allocator<T>().deallocate(from, count);
  }
  Counted(const Counted &) = default;
  Counted &operator=(const Counted &) = delete; // as of std::pmr::polymorphic_allocator
  friend bool operator==(const Counted &one, const Counted &other) {
    return one.account == other.account;
  }
};

std::string text(std::uint64_t number) {
  return std::to_string(number) + ", and more than fits into a string itself";
}

using Text = Counted<std::string>;
using Pair = Counted<std::pair<const std::uint64_t, std::string>>;
template <typename Allocator>
using ListIn = list<std::string, move::ListLayout{.block_bytes = 512}, Allocator>;
using MapIn = map<std::uint64_t, std::string, std::less<>, move::TreeLayout{}, Pair>;
using TableIn = unordered_map<std::uint64_t, std::string, std::hash<std::uint64_t>, std::equal_to<>,
                              move::ChainLayout{}, Pair>;

template <typename Container, typename Allocator, typename Fill>
void expect_memory_of_the_allocator(Fill fill) {
  Account account;
  {
    Container one{Allocator(&account)};
    fill(one, 4000);
    EXPECT_GT(account.bytes, 4000 * sizeof(std::string));
    Container copy(one);
    Container moved(std::move(one));
    EXPECT_EQ(copy, moved);
    EXPECT_EQ(copy.get_allocator(), Allocator(&account));
    Account other;
    Container elsewhere{Allocator(&other)};
    fill(elsewhere, 10);
    moved = elsewhere;
    EXPECT_EQ(moved, elsewhere);
    swap(copy, elsewhere);
    EXPECT_NE(moved, elsewhere);
  }
  EXPECT_EQ(account.bytes, 0u);
}

const auto kFillList = [](auto &list, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) list.push_front(text(i));
};
const auto kFillMap = [](auto &map, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) map.try_emplace(i * 7919 % 10007, text(i));
};

TEST(Allocators, GiveListsTheirMemory) {
  expect_memory_of_the_allocator<ListIn<Text>, Text>(kFillList);
  expect_memory_of_the_allocator<forward_list<std::string, Text>, Text>(kFillList);
}
TEST(Allocators, GiveMapsTheirMemory) {
  expect_memory_of_the_allocator<MapIn, Pair>(kFillMap);
  expect_memory_of_the_allocator<TableIn, Pair>(kFillMap);
}

// Random changes, at each of which memory may run out; then the container must be as it was, and erasing must not fail.
template <typename Map>
void expect_whole_maps_without_memory() {
  Account account;
  support::Random random(1);
  {
    Map ours{Pair(&account)};
    std::map<std::uint64_t, std::string> model;
    int failed = 0;
    for (std::uint64_t i = 0; i < 30000; ++i) {
      const std::uint64_t key = random.below(20000);
      account.granted = random.below(4) == 0 ? 0 : -1;
      if (random.below(100) < (i < 15000 ? 80u : 30u)) {
        try {
          ours.try_emplace(key, text(i));
          model.try_emplace(key, text(i));
        } catch (const std::bad_alloc &) {
          ++failed;
        }
      } else {
        ASSERT_EQ(ours.erase(key), model.erase(key));
      }
      ASSERT_EQ(ours.size(), model.size());
      ASSERT_EQ(ours.contains(key), model.contains(key));
    }
    EXPECT_GT(failed, 3);
    for (const auto &[key, value] : model) ASSERT_EQ(ours.find(key)->second, value);
  }
  EXPECT_EQ(account.bytes, 0u);
}
TEST(Allocators, ThatFailLeaveMapsWhole) {
  expect_whole_maps_without_memory<MapIn>();
  expect_whole_maps_without_memory<TableIn>();
}

TEST(Allocators, ThatFailLeaveListsWhole) {
  Account account;
  support::Random random(2);
  {
    ListIn<Text> ours{Text(&account)};
    std::vector<std::string> model;
    int failed = 0;
    for (std::uint64_t i = 0; i < 6000; ++i) {
      const auto place = static_cast<long>(random.below(model.size() + 1));
      account.granted = random.below(2) == 0 ? 0 : -1;
      if (model.size() < 50 || random.below(100) < (i < 4000 ? 75u : 30u)) {
        try {
          ours.emplace(std::next(ours.begin(), place), text(i));
          model.insert(model.begin() + place, text(i));
        } catch (const std::bad_alloc &) {
          ++failed;
        }
      } else if (place < static_cast<long>(model.size())) {
        ours.erase(std::next(ours.begin(), place));
        model.erase(model.begin() + place);
      }
      if (i % 50 == 0) {
        ASSERT_TRUE(std::equal(ours.begin(), ours.end(), model.begin(), model.end()));
      }
    }
    EXPECT_GT(failed, 0);
  }
  EXPECT_EQ(account.bytes, 0u);
}

template <typename Map>
void expect_elements_to_change_maps() {
  Map from{{1, "one"}, {2, "two"}, {3, "three"}};
  Map to{{2, "zwei"}, {4, "vier"}};
  auto node = from.extract(1);
  ASSERT_FALSE(node.empty());
  EXPECT_EQ(from.size(), 2u);
  node.key() = 4;
  auto refused = to.insert(std::move(node));
  EXPECT_FALSE(refused.inserted);
  EXPECT_EQ(refused.position->second, "vier");
  refused.node.key() = 5;
  EXPECT_TRUE(to.insert(std::move(refused.node)).inserted);
  EXPECT_EQ(to.at(5), "one");
  EXPECT_TRUE(from.extract(17).empty());
  EXPECT_FALSE(to.insert(typename Map::node_type()).inserted);
  to.merge(from);
  EXPECT_EQ(from, (Map{{2, "two"}}));
  EXPECT_EQ(to, (Map{{2, "zwei"}, {3, "three"}, {4, "vier"}, {5, "one"}}));
}
TEST(NodeHandles, CarryElementsFromMapToMap) {
  expect_elements_to_change_maps<map<int, std::string>>();
  expect_elements_to_change_maps<unordered_map<int, std::string>>();
}
TEST(NodeHandles, CarryElementsFromSetToSet) {
  set<std::string, std::less<>> words{"a", "b", "c"};
  auto node = words.extract("b");
  node.value() = "z";
  words.insert(std::move(node));
  EXPECT_EQ(words, (set<std::string, std::less<>>{"a", "c", "z"}));
  set<std::string, std::less<>> more{"c", "d"};
  words.merge(more);
  EXPECT_EQ(words.size(), 4u);
  EXPECT_EQ(more.size(), 1u);
}

TEST(Maps, TakeKeysOfOtherTypesAndCompareInOrder) {
  set<std::string, std::less<>> words{"delta", "alpha", "omega"};
  EXPECT_TRUE(words.contains(std::string_view("alpha")));
  EXPECT_EQ(*words.lower_bound(std::string_view("b")), "delta");
  EXPECT_EQ(words.find(std::string_view("beta")), words.end());
  EXPECT_LT((map<int, int>{{1, 2}}), (map<int, int>{{1, 3}}));
  map<int, int> squares{{1, 1}, {2, 4}, {3, 9}, {4, 16}};
  EXPECT_EQ(erase_if(squares, [](const auto &one) { return one.second % 2 == 0; }), 2u);
  EXPECT_EQ(squares.erase(squares.begin(), squares.end()), squares.end());
  EXPECT_TRUE(squares.empty());
}
TEST(Maps, OfStringsMoveTheirKeysToo) {
  static_assert(move::kMovesSafely<std::pair<const std::string, std::string>>);
  map<std::string, std::string> texts;
  unordered_map<std::string, std::string> table;
  for (std::uint64_t i = 0; i < 3000; ++i) table[text(i)] = texts[text(i * 7919 % 3001)] = text(i);
  texts.relayout();
  texts.check();
  for (std::uint64_t i = 0; i < 3000; ++i) {
    ASSERT_EQ(texts.at(text(i * 7919 % 3001)), text(i));
    ASSERT_EQ(table.at(text(i)), text(i));
  }
}

// Copies until it is told to throw.
struct Fragile {
  static inline int copies = -1;
  explicit Fragile(int number) : value(number) {}
  Fragile(const Fragile &other) : value(other.value) {
    if (copies >= 0 && copies-- == 0) throw std::runtime_error("told to");
  }
  Fragile(Fragile &&) noexcept = default;
  Fragile &operator=(const Fragile &) = default;
  Fragile &operator=(Fragile &&) noexcept = default;
  bool operator==(const Fragile &) const = default;
  int value;
};

template <typename List, typename Insert>
void expect_all_or_nothing(Insert insert) {
  const std::vector<Fragile> three{Fragile(7), Fragile(8), Fragile(9)};
  for (int copies = 0; copies < 3; ++copies) {
    List list;
    for (int i = 3; i > 0; --i) list.push_front(Fragile(i));
    const List before(list);
    Fragile::copies = copies;
    EXPECT_THROW(insert(list, three), std::runtime_error);
    Fragile::copies = copies;
    EXPECT_THROW(list.assign(three.begin(), three.end()), std::runtime_error);
    Fragile::copies = -1;
    EXPECT_EQ(list, before);
    insert(list, three);
    EXPECT_EQ(std::distance(list.begin(), list.end()), 6);
    list.assign(2, Fragile(5));
    EXPECT_EQ(list, (List{Fragile(5), Fragile(5)}));
  }
}
TEST(Lists, InsertAllOfARangeOrNothing) {
  expect_all_or_nothing<list<Fragile>>([](auto &list, const auto &range) {
    const auto first = list.insert(std::next(list.begin()), range.begin(), range.end());
    EXPECT_EQ(first->value, 7);
  });
  expect_all_or_nothing<forward_list<Fragile>>([](auto &list, const auto &range) {
    const auto last = list.insert_after(list.begin(), range.begin(), range.end());
    EXPECT_EQ(last->value, 9);
  });
}

TEST(ForwardList, SplicesMergesSortsAndReverses) {
  using Numbers = forward_list<int>;
  Numbers one{1, 4, 4, 9};
  Numbers same(one.pool());
  for (const int number : {8, 4, 2}) same.push_front(number);
  Numbers other{3, 10};
  one.merge(same);
  EXPECT_TRUE(same.empty());
  one.merge(other);
  EXPECT_EQ(one, (Numbers{1, 2, 3, 4, 4, 4, 8, 9, 10}));
  EXPECT_EQ(one.unique(), 2u);
  one.reverse();
  EXPECT_EQ(one, (Numbers{10, 9, 8, 4, 3, 2, 1}));
  other.splice_after(other.before_begin(), one, one.begin(), std::next(one.begin(), 3));
  EXPECT_EQ(other, (Numbers{9, 8}));
  other.splice_after(other.begin(), one, one.before_begin());
  EXPECT_EQ(other, (Numbers{9, 10, 8}));
  other.sort();
  EXPECT_EQ(other, (Numbers{8, 9, 10}));
  EXPECT_EQ(one.remove(3), 1u);
  one.resize(6, 7);
  EXPECT_EQ(one, (Numbers{4, 2, 1, 7, 7, 7}));
  one.resize(1);
  EXPECT_LT(one, other);
}

} // namespace
} // namespace adcock
