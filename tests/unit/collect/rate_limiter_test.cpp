#include "collect/rings/rate_limiter.hpp"

#include <gtest/gtest.h>

namespace abut::record {
namespace {

constexpr DrainBudget kBudget = {
    .words_per_tick = 1, .burst = 1000, .overrun_per_tick = 0.1, .window = 50};

// A program that makes so many words a tick, of which all are taken that may be.
class Program {
public:
  // Words that are taken of it in so many steps of 10 ticks; and how often the taking began.
  struct Taken {
    double words = 0;
    int windows = 0;
  };
  Taken run(int steps, double words_per_tick) {
    Taken taken;
    for (int i = 0; i < steps; ++i) {
      now_ += 10;
      made_ += static_cast<uint64_t>(words_per_tick * 10);
      const bool open = limiter_.renew(now_, made_);
      if (open) limiter_.spend(static_cast<size_t>(words_per_tick * 10));
      taken.words += open ? words_per_tick * 10 : 0;
      taken.windows += open && !was_open_ ? 1 : 0;
      was_open_ = open;
    }
    return taken;
  }

private:
  RateLimiter limiter_{kBudget};
  uint64_t now_ = 0, made_ = 0;
  bool was_open_ = true;
};

TEST(RateLimiter, WhatIsWithinTheAverageIsTakenWhole) {
  Program program;
  EXPECT_DOUBLE_EQ(program.run(10'000, 0.9).words, 90'000);
}

TEST(RateLimiter, ABurstIsTakenWholeAfterARest) {
  Program program;
  program.run(1000, 0);
  EXPECT_DOUBLE_EQ(program.run(40, 3).words, 1200);
}

TEST(RateLimiter, AProgramThatMakesMoreIsTakenInWindows) {
  Program program;
  program.run(100, 4); // the burst
  const auto taken = program.run(10'000, 4);
  EXPECT_NEAR(taken.words, 10'000, 1000) << "a tenth of a word a tick";
  EXPECT_GT(taken.windows, 50);
  EXPECT_LT(taken.windows, 250) << "each is of 50 words at least";
}

TEST(RateLimiter, WhoMakesLessAgainIsTakenWholeAgain) {
  Program program;
  program.run(2000, 4);
  program.run(200, 0.5);
  EXPECT_DOUBLE_EQ(program.run(1000, 0.5).words, 5000);
}

TEST(RateLimiter, WhatWasToldBeforeMayHaveBeenTooMuch) {
  RateLimiter limiter{kBudget};
  ASSERT_TRUE(limiter.renew(0, 0));
  limiter.spend(2000);
  ASSERT_FALSE(limiter.renew(10, 2000));
  ASSERT_TRUE(limiter.renew(100'000, 1000));
  limiter.spend(9000);
  EXPECT_TRUE(limiter.renew(110'000, 10'000)) << "whole again: a word a tick is not too much";
}

TEST(RateLimiter, NothingIsRefusedWithoutABudget) {
  RateLimiter limiter{DrainBudget{}};
  for (uint64_t now = 0; now < 1000; now += 10) {
    EXPECT_TRUE(limiter.renew(now, now << 20));
    limiter.spend(size_t{10} << 20);
  }
}

} // namespace
} // namespace abut::record
