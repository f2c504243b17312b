#include "placement/friends/placement.hpp"

#include <gtest/gtest.h>

namespace abut::near {
namespace {

using sites::Action;

constexpr Address kSite = 0x7f0000123456;

// A site whose objects go with their group, while only groups are asked.
struct DecideForAGroup : testing::Test {
  DecideForAGroup() {
    sites::table.claim(kSite)->is_pooled = true;
    begin_to_look(Looker::group);
  }
  ~DecideForAGroup() override {
    end_to_look(Looker::group);
    sites::Site &site = *sites::table.find(kSite);
    site.is_pooled = false;
    site.context = 0;
    sites::table.ask_again(sites::SiteTable::Which::all);
  }
  static Action remembered() { return sites::table.find(kSite)->acts(); }
};

TEST_F(DecideForAGroup, TheNextRequestNeedNotAsk) {
  EXPECT_EQ(decide(24, kSite).action, Action::pool);
  EXPECT_EQ(remembered(), Action::pool);
  EXPECT_EQ(decide(24, kSite).action, Action::pool);
}

TEST_F(DecideForAGroup, ItAsksWhileGroupsAreFormed) {
  group::formation.is_on = true;
  EXPECT_EQ(decide(24, kSite).action, Action::pool);
  EXPECT_EQ(remembered(), Action::ask);
  group::formation.is_on = false;
}

TEST_F(DecideForAGroup, ItAsksWhileFriendsAreLookedFor) {
  sites::table.find(kSite)->context = sites::kPlain;
  begin_to_look(Looker::near);
  looks_left = 2 * kPassing;
  EXPECT_EQ(decide(24, kSite).action, Action::pool);
  EXPECT_EQ(remembered(), Action::ask);
  looks_left = 0;
  EXPECT_EQ(decide(24, kSite).action, Action::pool);
  EXPECT_EQ(remembered(), Action::pool) << "friends do nothing for it";
  end_to_look(Looker::near);
}

TEST_F(DecideForAGroup, WhereNoPoolIsAskedItIsPlain) {
  sites::table.find(kSite)->is_pooled = false;
  EXPECT_FALSE(sites::table.is_plain_at_once(kSite));
  EXPECT_EQ(decide(24, kSite).action, Action::plain);
  EXPECT_TRUE(sites::table.is_plain_at_once(kSite));
}

} // namespace
} // namespace abut::near
