// The singly linked list and the hash table against the standard's.
#include "adcock/move/forward_list.hpp"
#include "adcock/move/unordered_map.hpp"
#include "support/random.hpp"

#include <forward_list>
#include <gtest/gtest.h>
#include <string>
#include <unordered_map>

namespace adcock {
namespace {

std::string text(std::uint64_t number) {
  return std::to_string(number) + " in a text that is not short";
}

TEST(ForwardList, DoesWhatStdForwardListDoes) {
  support::Random random(1);
  forward_list<std::string> ours;
  std::forward_list<std::string> model;
  std::size_t size = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    auto here = ours.before_begin();
    auto there = model.before_begin();
    for (std::uint64_t steps = random.below(size + 1); steps > 0; --steps) {
      ++here;
      ++there;
    }
    if (std::next(there) == model.end() || random.below(100) < 55) {
      EXPECT_EQ(*ours.insert_after(here, text(i)), text(i));
      model.insert_after(there, text(i));
      ++size;
    } else {
      const auto next = ours.erase_after(here);
      ASSERT_EQ(next == ours.end(), model.erase_after(there) == model.end());
      --size;
    }
    ASSERT_TRUE(std::equal(ours.begin(), ours.end(), model.begin(), model.end()));
    if (i % 500 == 0) ours.relayout();
  }
  const auto unwanted = [](const std::string &one) { return one[0] == '1'; };
  ours.remove_if(unwanted);
  model.remove_if(unwanted);
  EXPECT_TRUE(std::equal(ours.begin(), ours.end(), model.begin(), model.end()));
}

TEST(UnorderedMap, DoesWhatStdUnorderedMapDoes) {
  support::Random random(2);
  unordered_map<std::uint64_t, std::string> ours;
  std::unordered_map<std::uint64_t, std::string> model;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t key = random.below(2000);
    if (random.below(100) < (i < 10000 ? 60u : 30u)) {
      ASSERT_EQ(ours.try_emplace(key, text(i)).second, model.try_emplace(key, text(i)).second);
    } else {
      ASSERT_EQ(ours.erase(key), model.erase(key));
    }
    ASSERT_EQ(ours.size(), model.size());
    const std::uint64_t other = random.below(2000);
    ASSERT_EQ(ours.contains(other), model.contains(other));
    if (i % 500 != 0) continue;
    std::size_t walked = 0;
    for (const auto &[number, value] : ours) {
      ASSERT_EQ(model.at(number), value);
      ++walked;
    }
    ASSERT_EQ(walked, model.size());
  }
}

TEST(UnorderedMap, HandlesFollowElementsWhereTheTableGrows) {
  unordered_map<std::uint64_t, std::string> map;
  map[1] = "one";
  map[2] = "two";
  const move::Handle one = map.handle(map.find(1));
  const move::Handle two = map.handle(map.find(2));
  for (std::uint64_t key = 3; key < 500; ++key) map[key] = text(key);
  ASSERT_NE(map.find(one), map.end());
  EXPECT_EQ(map.find(one)->second, "one");
  map.erase(map.find(two));
  EXPECT_EQ(map.find(two), map.end());
  unordered_map<std::uint64_t, std::string> other(std::move(map));
  EXPECT_EQ(other.find(one)->first, 1u);
}

TEST(UnorderedMap, ElementsStayWhereTheyAreIfTheLayoutSaysSo) {
  using Still = unordered_map<std::uint64_t, int, std::hash<std::uint64_t>,
                              std::equal_to<std::uint64_t>, move::ChainLayout{.moves = false}>;
  Still map;
  const int *first = &(map[1] = 1);
  for (std::uint64_t key = 2; key < 500; ++key) map[key] = 0;
  EXPECT_EQ(&map.find(1)->second, first);
}

} // namespace
} // namespace adcock
