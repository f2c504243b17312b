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

} // namespace
} // namespace abut
