#include "base/attention.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

TEST(Attention, EachLookerIsToldApart) {
  begin_to_look(Looker::near);
  EXPECT_TRUE(somebody_looks());
  EXPECT_TRUE(looks(Looker::near));
  EXPECT_FALSE(looks(Looker::plan));
  begin_to_look(Looker::plan);
  end_to_look(Looker::near);
  EXPECT_FALSE(looks(Looker::near));
  EXPECT_TRUE(looks(Looker::plan));
  end_to_look(Looker::plan);
  EXPECT_FALSE(somebody_looks());
}

TEST(Attention, WhoBeginsToLookSeesAllSitesAgain) {
  constexpr uintptr_t kSite = 0x401234, kSamePlace = kSite + kSitesAtOnce;
  EXPECT_FALSE(is_idle(kSite));
  remember_idle(kSite);
  EXPECT_TRUE(is_idle(kSite));
  EXPECT_FALSE(is_idle(kSamePlace));
  remember_idle(kSamePlace);
  EXPECT_FALSE(is_idle(kSite));
  EXPECT_TRUE(is_idle(kSamePlace));
  begin_to_look(Looker::group);
  EXPECT_FALSE(is_idle(kSamePlace));
  end_to_look(Looker::group);
}

TEST(Attention, WhatIsKnownOfASiteIsTold) {
  static KnownSite first, second;
  first.site = 0x7fffdeadbeef;
  second.site = first.site + kSitesAtOnce;
  const uint64_t other = first.site + 1;
  EXPECT_EQ(at_once(first.site).known(), nullptr);
  remember_at_once(first);
  EXPECT_EQ(at_once(first.site).known(), &first);
  EXPECT_FALSE(at_once(first.site).is_idle());
  EXPECT_EQ(at_once(second.site).known(), nullptr) << "another at the same place";
  EXPECT_EQ(at_once(other).known(), nullptr);
  remember_at_once(second);
  EXPECT_EQ(at_once(first.site).known(), nullptr);
  EXPECT_EQ(at_once(second.site).known(), &second);
  remember_idle(first.site);
  EXPECT_EQ(at_once(first.site).known(), nullptr);
  EXPECT_TRUE(at_once(first.site).is_idle());
  EXPECT_EQ(at_once(second.site).known(), nullptr);
  forget_sites_at_once(Forget::all);
  EXPECT_EQ(at_once(first.site).known(), nullptr);
  EXPECT_FALSE(at_once(first.site).is_idle());
}

TEST(Attention, WhatLastsIsKnownWhileOthersAreLookedAt) {
  static KnownSite lasting, other;
  lasting.site = 0x401234;
  lasting.lasts = true;
  other.site = 0x401235;
  remember_at_once(lasting);
  remember_at_once(other);
  remember_idle(0x401236);
  begin_to_look(Looker::near);
  EXPECT_EQ(at_once(lasting.site).known(), &lasting);
  EXPECT_EQ(at_once(other.site).known(), nullptr);
  EXPECT_FALSE(is_idle(0x401236));
  forget_at_once(lasting.site);
  EXPECT_EQ(at_once(lasting.site).known(), nullptr);
  remember_at_once(lasting);
  forget_sites_at_once(Forget::all);
  EXPECT_EQ(at_once(lasting.site).known(), nullptr);
  end_to_look(Looker::near);
}

} // namespace
} // namespace abut
