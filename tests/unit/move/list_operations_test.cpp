// What turns whole lists around, against std::list.
#include "adcock/move/list.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <list>

namespace adcock {
namespace {

using Ours = list<int, move::ListLayout{.block_bytes = 256}>;
using Model = std::list<int>;

class Pair {
public:
  explicit Pair(const Ours &list) : ours(list) {}
  explicit Pair(const Ours::pool_type &pool) : ours(pool) {}

  void fill(support::Random &random) {
    for (std::uint64_t i = random.below(60); i > 0; --i) {
      const auto value = static_cast<int>(random.below(20));
      ours.push_back(value);
      model.push_back(value);
    }
  }
  bool same() const {
    return ours.size() == model.size() && std::equal(ours.begin(), ours.end(), model.begin()) &&
           std::equal(ours.rbegin(), ours.rend(), model.rbegin());
  }

  Ours ours;
  Model model;
};

void expect_spliced(Pair &to, Pair &from, support::Random &random) {
  const auto place = static_cast<long>(random.below(to.model.size() + 1));
  const auto first = static_cast<long>(random.below(from.model.size() + 1));
  const auto count = static_cast<long>(random.below(from.model.size() - first + 1));
  to.ours.splice(std::next(to.ours.begin(), place), from.ours, std::next(from.ours.begin(), first),
                 std::next(from.ours.begin(), first + count));
  to.model.splice(std::next(to.model.begin(), place), from.model,
                  std::next(from.model.begin(), first),
                  std::next(from.model.begin(), first + count));
  ASSERT_TRUE(to.same());
  ASSERT_TRUE(from.same());
}

TEST(ListOperations, SpliceElementsOfTheSamePoolAndOfAnother) {
  support::Random random(1);
  for (int round = 0; round < 200; ++round) {
    Pair one{Ours()};
    Pair other(round % 2 == 0 ? one.ours.pool() : Ours().pool());
    one.fill(random);
    other.fill(random);
    expect_spliced(one, other, random);
    expect_spliced(other, one, random);
    one.ours.splice(one.ours.end(), other.ours);
    one.model.splice(one.model.end(), other.model);
    ASSERT_TRUE(one.same());
    ASSERT_TRUE(other.ours.empty());
    // Elements that changed lists are like any others of their new one.
    while (!one.ours.empty()) {
      const auto place = static_cast<long>(random.below(one.model.size()));
      one.ours.erase(std::next(one.ours.begin(), place));
      one.model.erase(std::next(one.model.begin(), place));
      ASSERT_TRUE(one.same());
    }
  }
}

TEST(ListOperations, WithinOneListElementsChangePlaces) {
  Pair one{Ours{1, 2, 3, 4}};
  one.model = {3, 1, 2, 4};
  one.ours.splice(one.ours.begin(), one.ours, std::next(one.ours.begin(), 2));
  EXPECT_TRUE(one.same());
  one.ours.splice(one.ours.begin(), one.ours, one.ours.begin());
  EXPECT_TRUE(one.same());
}

TEST(ListOperations, MergeReverseAndUniqueDoAsTheStandardSays) {
  support::Random random(2);
  for (int round = 0; round < 100; ++round) {
    Pair one{Ours()};
    Pair other(round % 2 == 0 ? one.ours.pool() : Ours().pool());
    one.fill(random);
    other.fill(random);
    for (Pair *each : {&one, &other}) {
      each->ours.reverse();
      each->model.reverse();
      ASSERT_TRUE(each->same());
      each->ours.sort();
      each->model.sort();
    }
    one.ours.merge(other.ours);
    one.model.merge(other.model);
    ASSERT_TRUE(one.same());
    ASSERT_TRUE(other.ours.empty());
    ASSERT_EQ(one.ours.unique(), one.model.unique());
    ASSERT_TRUE(one.same());
  }
}

} // namespace
} // namespace adcock
