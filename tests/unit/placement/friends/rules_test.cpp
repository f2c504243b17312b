#include "placement/friends/evaluation.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace abut::near {
namespace {

TEST(Rules, AContextOfTooManySizesHasNoneForTheRest) {
  const auto contexts = std::make_unique<Context[]>(2);
  Context &context = contexts[0];
  for (unsigned size = 1; size <= Context::kRules; ++size) {
    Rule *rule = new_rule(context, size);
    ASSERT_NE(rule, nullptr);
    EXPECT_EQ(context.rule_for(size), rule);
  }
  EXPECT_EQ(new_rule(context, Context::kRules + 1), nullptr);
  EXPECT_EQ(context.rule_for(Context::kRules + 1), nullptr);
  EXPECT_EQ(context.rule_count, Context::kRules);
  EXPECT_EQ(context.undecided, Context::kRules);
}

} // namespace
} // namespace abut::near
