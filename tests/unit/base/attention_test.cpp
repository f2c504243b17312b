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
  remember_at_once(kSite, 0);
  EXPECT_TRUE(is_idle(kSite));
  EXPECT_FALSE(is_idle(kSamePlace));
  remember_at_once(kSamePlace, 0);
  EXPECT_FALSE(is_idle(kSite));
  EXPECT_TRUE(is_idle(kSamePlace));
  begin_to_look(Looker::group);
  EXPECT_FALSE(is_idle(kSamePlace));
  end_to_look(Looker::group);
}

TEST(Attention, ASiteMayHaveANumber) {
  constexpr uint64_t kSite = 0x7fffdeadbeef, kOther = kSite + 1;
  constexpr uint32_t kMost = (1U << 17) - 1;
  EXPECT_FALSE(at_once(kSite).is_known());
  for (const uint32_t number : {1U, 4095U, kMost}) {
    remember_at_once(kSite, number);
    EXPECT_TRUE(at_once(kSite).is_known());
    EXPECT_FALSE(at_once(kSite).is_idle());
    EXPECT_EQ(at_once(kSite).number(), number);
    EXPECT_FALSE(at_once(kSite + kSitesAtOnce).is_known());
    EXPECT_FALSE(at_once(kOther).is_known());
  }
  remember_at_once(kSite, 0);
  EXPECT_TRUE(at_once(kSite).is_known());
  EXPECT_TRUE(at_once(kSite).is_idle());
  forget_sites_at_once();
  EXPECT_FALSE(at_once(kSite).is_known());
}

} // namespace
} // namespace abut
