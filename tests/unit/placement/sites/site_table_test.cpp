#include "placement/sites/site_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace abut::sites {
namespace {

using Which = SiteTable::Which;

// Three that share a line, which has room for two.
constexpr Address kFirst = 0x401234, kSecond = kFirst + SiteTable::kLines,
                  kThird = kSecond + SiteTable::kLines;
constexpr Address kContext = 0x7f0000001000;

struct SiteTableTest : testing::Test {
  std::unique_ptr<SiteTable> table = std::make_unique<SiteTable>();
};

TEST_F(SiteTableTest, ASiteIsFoundOnceItHasAPlace) {
  EXPECT_EQ(table->find(kFirst), nullptr);
  Site *first = table->claim(kFirst), *second = table->claim(kSecond);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(table->find(kFirst), first);
  EXPECT_EQ(table->find(kSecond), second);
  EXPECT_EQ(table->claim(kFirst), first);
  EXPECT_EQ(table->find(kThird), nullptr);
}

TEST_F(SiteTableTest, WhoComesToAFullLineReplacesASiteThatNothingIsDoneFor) {
  table->claim(kFirst)->context = kContext;
  Site *second = table->claim(kSecond);
  table->decide(*second, Kind::plain);
  second->context = kPlain;
  second->is_quiet = true;
  EXPECT_TRUE(table->has_room(kThird));
  EXPECT_EQ(table->claim(kThird), second);
  EXPECT_EQ(table->find(kSecond), nullptr);
  EXPECT_FALSE(table->is_plain(kSecond));
  EXPECT_FALSE(table->is_plain(kThird)) << "nothing is known of it";
  EXPECT_EQ(second->context, 0U);
  EXPECT_FALSE(second->is_quiet);
}

TEST_F(SiteTableTest, ElseNothingIsDoneForTheNewcomer) {
  table->claim(kFirst)->context = kContext;
  table->claim(kSecond)->is_pooled = true;
  EXPECT_FALSE(table->has_room(kThird));
  EXPECT_EQ(table->claim(kThird), nullptr);
  EXPECT_NE(table->find(kFirst), nullptr);
  EXPECT_NE(table->find(kSecond), nullptr);
}

TEST_F(SiteTableTest, APlainSiteIsKnownByOneComparison) {
  Site *site = table->claim(kFirst);
  EXPECT_FALSE(table->is_plain(kFirst));
  table->decide(*site, Kind::plain);
  EXPECT_TRUE(table->is_plain(kFirst));
  EXPECT_FALSE(table->is_plain(kSecond));
  table->decide(*site, Kind::pool);
  EXPECT_FALSE(table->is_plain(kFirst));
}

TEST_F(SiteTableTest, WhoBeginsToLookIsAskedAgainButWherePlacingLasts) {
  Site *lasting = table->claim(kFirst), *other = table->claim(kSecond);
  Site *elsewhere = table->claim(kFirst + 1);
  table->decide(*lasting, Kind::always_beside);
  table->decide(*other, Kind::beside);
  table->decide(*elsewhere, Kind::plain);
  for (int round = 0; round < 2; ++round) {
    table->reset(Which::what_may_change);
    EXPECT_EQ(lasting->decided(), Kind::always_beside);
    EXPECT_EQ(other->decided(), Kind::undecided);
    EXPECT_FALSE(table->is_plain(kFirst + 1));
  }
  table->reset(Which::all);
  EXPECT_EQ(lasting->decided(), Kind::undecided);
}

TEST_F(SiteTableTest, OneSiteMayBeAskedAgain) {
  table->decide(*table->claim(kFirst), Kind::plain);
  table->decide(*table->claim(kSecond), Kind::plain);
  table->reset(kFirst);
  EXPECT_FALSE(table->is_plain(kFirst));
  EXPECT_TRUE(table->is_plain(kSecond));
  table->reset(kThird); // not there: nothing happens
}

TEST_F(SiteTableTest, AHundredThousandSitesFindRoomOrNone) {
  size_t refused = 0;
  for (Address site = 0x400000; site < 0x400000 + 100'000; ++site) {
    Site *place = table->claim(site);
    if (place == nullptr)
      ++refused;
    else if (site % 2 == 0)
      place->context = kContext;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, 100'000 - 2 * SiteTable::kLines);
}

TEST_F(SiteTableTest, ThreadsMayClaimOneLineAtATime) {
  std::vector<std::thread> threads;
  for (Address i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const Address mine = kFirst + i * SiteTable::kLines;
      for (int round = 0; round < 20'000; ++round)
        if (Site *site = table->claim(mine)) table->decide(*site, Kind::plain);
    });
  for (std::thread &thread : threads) thread.join();
  size_t there = 0;
  for (Address i = 0; i < 4; ++i) there += table->find(kFirst + i * SiteTable::kLines) != nullptr;
  EXPECT_EQ(there, 2U);
}

} // namespace
} // namespace abut::sites
