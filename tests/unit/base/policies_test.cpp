#include "base/policies.hpp"

#include <gtest/gtest.h>
#include <vector>

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

TEST(Policies, TheListenerIsCalledAtEachChange) {
  static std::vector<uint8_t> masks;
  policies_listener = [](EnabledPolicies now) { masks.push_back(now.mask); };
  enable(Policy::pools);
  enable(Policy::friends);
  disable(Policy::friends);
  disable(Policy::pools);
  policies_listener = nullptr;
  EXPECT_EQ(masks, (std::vector<uint8_t>{4, 5, 4, 0}));
}

} // namespace
} // namespace abut
