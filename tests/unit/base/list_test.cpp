#include "base/list.hpp"

#include "support/random.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <vector>

namespace abut {
namespace {

struct Item {
  int number = 0;
  Link<Item> link;
  Link<Item> other;
};
using Items = List<Item, &Item::link>;
using OtherItems = List<Item, &Item::other>;

std::deque<Item *> contents(const Items &list) {
  std::deque<Item *> result;
  for (Item *item = list.front(); item; item = Items::after(item)) result.push_back(item);
  return result;
}

TEST(List, IsEmptyAtFirst) {
  const Items list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  EXPECT_EQ(list.back(), nullptr);
}

TEST(List, KeepsTheOrderOfRandomPushesAndRemovals) {
  support::Random random(2);
  std::vector<Item> items(50);
  std::vector<bool> on(items.size());
  Items list;
  std::deque<Item *> model;
  for (int step = 0; step < 20000; ++step) {
    const size_t index = random.below(items.size());
    Item *item = &items[index];
    if (on[index]) {
      list.remove(item);
      std::erase(model, item);
      EXPECT_EQ(item->link.next, nullptr);
      EXPECT_EQ(item->link.previous, nullptr);
    } else if (random.below(2) != 0) {
      list.push_front(item);
      model.push_front(item);
    } else {
      list.push_back(item);
      model.push_back(item);
    }
    on[index] = !on[index];
    ASSERT_EQ(contents(list), model) << "after step " << step;
    ASSERT_EQ(list.back(), model.empty() ? nullptr : model.back());
    ASSERT_EQ(list.empty(), model.empty());
  }
}

TEST(List, LeavesAnItemsOtherListsAlone) {
  Item first, second;
  Items list;
  OtherItems other;
  for (Item *item : {&first, &second}) {
    list.push_back(item);
    other.push_front(item);
  }
  list.remove(&first);
  EXPECT_EQ(list.front(), &second);
  EXPECT_EQ(other.front(), &second);
  EXPECT_EQ(OtherItems::after(&second), &first);
}

} // namespace
} // namespace abut
