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

} // namespace
} // namespace abut
