// The list against the standard's, under random operations.
#include "abut/list.hpp"
#include "containers/guarded.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <list>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
bool refuses = false; // memory to those who can do without it
}
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept {
  try {
    return refuses ? nullptr : ::operator new(bytes);
  } catch (...) {
    return nullptr;
  }
}

namespace abut {
namespace {

using Ours = list<std::string>;
using Model = std::list<std::string>;

void change(Ours &ours, Model &model, support::Random &random) {
  const std::string value = "value number " + std::to_string(random.below(300));
  const auto near = static_cast<long>(random.below(std::min<std::size_t>(model.size(), 40) + 1));
  switch (random.below(6)) {
  case 0:
    ours.push_back(value);
    model.push_back(value);
    break;
  case 1:
    ours.push_front(value);
    model.push_front(value);
    break;
  case 2:
    ours.insert(std::next(ours.begin(), near), value);
    model.insert(std::next(model.begin(), near), value);
    break;
  case 3:
    if (near == static_cast<long>(model.size())) break;
    ours.erase(std::next(ours.begin(), near));
    model.erase(std::next(model.begin(), near));
    break;
  case 4:
    if (model.empty()) break;
    ours.splice(std::next(ours.begin(), near), ours, std::prev(ours.end()));
    model.splice(std::next(model.begin(), near), model, std::prev(model.end()));
    break;
  default:
    if (random.below(20) != 0) break;
    ours.remove_if([&](const std::string &s) { return s == value; });
    model.remove_if([&](const std::string &s) { return s == value; });
  }
}
void change_whole(Ours &ours, Model &model, Ours &other, Model &model_other, std::size_t what) {
  switch (what) {
  case 0:
    ours.sort();
    model.sort();
    other.sort();
    model_other.sort();
    ours.merge(other);
    model.merge(model_other);
    break;
  case 1:
    ours.splice(std::next(ours.begin(), 2), other);
    model.splice(std::next(model.begin(), 2), model_other);
    break;
  case 2:
    if (model_other.size() < 3) break;
    ours.splice(ours.end(), other, std::next(other.begin()), std::prev(other.end()));
    model.splice(model.end(), model_other, std::next(model_other.begin()),
                 std::prev(model_other.end()));
    break;
  case 3:
    ASSERT_EQ(ours.unique(), model.unique());
    ours.reverse();
    model.reverse();
    break;
  case 4:
    ours.remove(ours.front());
    model.remove(std::string(model.front()));
    ours.relayout();
    break;
  default:
    ours.swap(other);
    model.swap(model_other);
    ours = Ours(std::move(ours));
    other = Ours(other);
  }
}

TEST(List, BehavesLikeTheStandards) {
  support::Random random(3);
  Ours ours;
  Ours other;
  Model model;
  Model model_other;
  for (int i = 0; i < 30'000; ++i) {
    change(ours, model, random);
    change(other, model_other, random);
    if (i % 50 == 0 && model.size() > 3)
      change_whole(ours, model, other, model_other, random.below(6));
    if (i % 10 != 0) continue;
    ASSERT_EQ(ours.size(), model.size());
    ASSERT_TRUE(std::equal(ours.begin(), ours.end(), model.begin(), model.end()));
    ASSERT_TRUE(std::equal(other.rbegin(), other.rend(), model_other.rbegin(), model_other.rend()));
  }
}

template <typename List>
long descents(const List &list) {
  long found = 0;
  const void *before = nullptr;
  for (const auto &element : list) found += std::exchange(before, &element) > &element;
  return found;
}

TEST(List, SortAndRelayoutPutElementsIntoTheirOrder) {
  list<int> list;
  for (int i = 0; i < 2000; ++i) list.push_back(i * 7919 % 2003);
  EXPECT_LT(descents(list), 30); // as they were born, in a few chunks
  std::list<int> model(list.begin(), list.end());
  list.sort();
  model.sort();
  EXPECT_TRUE(std::equal(list.begin(), list.end(), model.begin(), model.end()));
  EXPECT_LT(descents(list), 30); // in the same chunks
  list.reverse();
  EXPECT_GT(descents(list), 1900);
  list.relayout();
  EXPECT_EQ(descents(list), 0);
}

struct Plain {
  int key;
  int birth;
};
// The same, but sorted by way of its node.
struct Owner : Plain {
  Owner(int key, int birth) : Plain{key, birth} {}
  Owner(Owner &&) noexcept = default;
  ~Owner() {} // NOLINT(modernize-use-equals-default): not trivial
};

// With rooms between its elements that were erased.
template <typename T>
list<T> of_five_hundred() {
  list<T> list;
  for (int i = 0; i < 1000; ++i) list.emplace_back(T{i * 7919 % 5, i});
  for (auto i = list.begin(); i != list.end(); ++i) i = list.erase(i);
  return list;
}
template <typename T>
void expect_stable_sort() {
  list<T> list = of_five_hundred<T>();
  const auto by_key = [](const Plain &one, const Plain &other) { return one.key < other.key; };
  const auto by_both = [](const Plain &one, const Plain &other) {
    return std::pair(one.key, one.birth) < std::pair(other.key, other.birth);
  };
  list.sort(by_key);
  EXPECT_TRUE(std::is_sorted(list.begin(), list.end(), by_both));
  EXPECT_TRUE(std::is_sorted(list.rbegin(), list.rend(),
                             [&](auto &one, auto &other) { return by_both(other, one); }));
  for (int i = 0; i < 1000; ++i) list.push_front(T{-1, 0}); // nothing lies in the place of another
  EXPECT_EQ(std::count_if(list.begin(), list.end(), [](auto &one) { return one.key >= 0; }), 500);
}
// Whether a sort whose order throws after some calls leaves the elements in their order, and whether all of them.
template <typename T>
std::pair<bool, bool> what_a_throw_leaves() {
  list<T> list = of_five_hundred<T>();
  int calls = 0;
  EXPECT_THROW(list.sort([&](const Plain &one, const Plain &other) {
    if (++calls == 900) throw std::runtime_error("900 calls");
    return one.key < other.key;
  }),
               std::runtime_error);
  std::vector<int> births;
  for (const Plain &element : list) births.push_back(element.birth);
  const bool in_order = std::is_sorted(births.begin(), births.end());
  return {in_order, std::set<int>(births.begin(), births.end()).size() == 500};
}

TEST(List, SortIsStableAndAsItWasAfterAThrow) {
  expect_stable_sort<Plain>();
  expect_stable_sort<Owner>();
  EXPECT_EQ(what_a_throw_leaves<Plain>(), std::pair(true, true));
  EXPECT_EQ(what_a_throw_leaves<Owner>(), std::pair(true, true));
}
TEST(List, SortNeedsNoMemory) {
  refuses = true;
  expect_stable_sort<Plain>();
  expect_stable_sort<Owner>();
  EXPECT_EQ(what_a_throw_leaves<Plain>(), std::pair(false, true)); // so that was another sort
  EXPECT_EQ(what_a_throw_leaves<Owner>(), std::pair(false, true));
  refuses = false;
}

TEST(List, ElementsStay) {
  list<std::string> list;
  std::vector<std::pair<const std::string *, std::string>> known;
  for (int i = 0; i < 1000; ++i) {
    abut::list<std::string> other;
    known.emplace_back(&list.emplace_front(std::to_string(i)), std::to_string(i));
    known.emplace_back(&other.emplace_back(std::to_string(-i)), std::to_string(-i));
    list.splice(list.begin(), other);
    if (i % 3 == 0) list.erase(list.insert(list.end(), "gone"));
  }
  list.reverse();
  for (const auto &[address, value] : known) ASSERT_EQ(*address, value);
}

TEST(List, IsCheapWhereItIsShort) {
  static_assert(sizeof(list<std::uint64_t>) <= 48);
  list<std::uint64_t, CountingAllocator<std::uint64_t>> list;
  EXPECT_EQ(BytesOut::now, 0);
  list.push_back(1);
  EXPECT_LE(BytesOut::now, 24 + 16);
  for (int i = 0; i < 1'000'000; ++i) { // a queue does not grow
    list.push_back(2);
    list.pop_front();
  }
  EXPECT_LT(BytesOut::now, 500);
  list.clear();
  EXPECT_EQ(BytesOut::now, 0);
}

// What has been put into a list as a whole, and taken out of it, is not kept for ever.
TEST(List, AQueueOfWholeListsDoesNotGrow) {
  using Numbers = list<std::uint64_t, CountingAllocator<std::uint64_t>>;
  Numbers queue = {0};
  std::uint64_t next_in = 1, next_out = 0;
  for (int i = 0; i < 20'000; ++i) {
    Numbers some;
    const int count = i % 20;
    for (int k = 0; k < count; ++k) some.push_back(next_in++);
    queue.splice(queue.end(), some);
    for (int k = 0; k < count; ++k) {
      ASSERT_EQ(queue.front(), next_out++);
      queue.pop_front();
    }
  }
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.front(), next_out);
  EXPECT_LT(BytesOut::now, 20'000);
}

} // namespace
} // namespace abut
