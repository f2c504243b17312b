#include "base/policies.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

TEST(Policies, EachIsEnabledByItself) {
  enable(Policy::friends);
  EXPECT_TRUE(any_policy_enabled());
  EXPECT_TRUE(is_enabled(Policy::friends));
  EXPECT_FALSE(is_enabled(Policy::plan));
  enable(Policy::plan);
  disable(Policy::friends);
  EXPECT_FALSE(is_enabled(Policy::friends));
  EXPECT_TRUE(is_enabled(Policy::plan));
  disable(Policy::plan);
  EXPECT_FALSE(any_policy_enabled());
}

TEST(Policies, OnlyWherePoolsAreTheOnlyOneAreSitesToldByTheirLastByte) {
  static SiteLimits limits{};
  limits.most[0x34] = kPlainMost;
  limits_of_pools = &limits;
  EXPECT_FALSE(is_plain_at(16, 0x1234));
  enable(Policy::pools);
  EXPECT_TRUE(is_plain_at(kPlainMost, 0x1234));
  EXPECT_FALSE(is_plain_at(kPlainMost + 1, 0x1234));
  EXPECT_FALSE(is_plain_at(16, 0x1235));
  enable(Policy::friends);
  EXPECT_FALSE(is_plain_at(16, 0x1234));
  disable(Policy::friends);
  EXPECT_TRUE(is_plain_at(16, 0x1234));
  disable(Policy::pools);
  EXPECT_FALSE(is_plain_at(16, 0x1234));
  limits_of_pools = &kNoSiteIsPlain;
}

} // namespace
} // namespace abut
