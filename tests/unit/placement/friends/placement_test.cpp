#include "placement/friends/placement.hpp"

#include <gtest/gtest.h>

namespace abut::near {
namespace {

using sites::Kind;

constexpr Address kSite = 0x7f0000123456;

// A site whose objects go with their group, while only groups are asked.
struct DecideForAGroup : testing::Test {
  DecideForAGroup() {
    sites::table.claim(kSite)->is_pooled = true;
    enable(Policy::pools);
  }
  ~DecideForAGroup() override {
    disable(Policy::pools);
    sites::Site &site = *sites::table.find(kSite);
    site.is_pooled = false;
    site.context = 0;
    sites::table.reset(sites::SiteTable::Which::all);
  }
  static Kind remembered() { return sites::table.find(kSite)->decided(); }
};

TEST_F(DecideForAGroup, TheNextRequestNeedNotAsk) {
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
  EXPECT_EQ(remembered(), Kind::pool);
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
}

TEST_F(DecideForAGroup, ItAsksWhileGroupsAreFormed) {
  group::formation.is_on = true;
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
  EXPECT_EQ(remembered(), Kind::undecided);
  group::formation.is_on = false;
}

TEST_F(DecideForAGroup, ItAsksWhileFriendsAreLookedFor) {
  sites::table.find(kSite)->context = sites::kPlain;
  enable(Policy::friends);
  samples_left = 2 * kSkipCost;
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
  EXPECT_EQ(remembered(), Kind::undecided);
  samples_left = 0;
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
  EXPECT_EQ(remembered(), Kind::pool) << "friends do nothing for it";
  disable(Policy::friends);
}

TEST_F(DecideForAGroup, WhereNoPoolIsAskedItIsPlain) {
  sites::table.find(kSite)->is_pooled = false;
  EXPECT_FALSE(sites::table.is_plain(kSite));
  EXPECT_EQ(decide(24, kSite).kind, Kind::plain);
  EXPECT_TRUE(sites::table.is_plain(kSite));
}

} // namespace
} // namespace abut::near
