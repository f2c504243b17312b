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
  constexpr uintptr_t kSite = 0x401234, kSamePlace = kSite + kIdleSites;
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

} // namespace
} // namespace abut
