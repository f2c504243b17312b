#include "heap/gauge.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

TEST(Gauge, RemembersTheHighestValue) {
  Gauge gauge;
  EXPECT_EQ(gauge.value(), 0U);
  EXPECT_EQ(gauge.highest(), 0U);
  gauge.add(5);
  gauge.subtract(3);
  gauge.add(2);
  EXPECT_EQ(gauge.value(), 4U);
  EXPECT_EQ(gauge.highest(), 5U);
  gauge.add(3);
  EXPECT_EQ(gauge.highest(), 7U);
}

TEST(Gauge, LosesNothingBetweenThreads) {
  constexpr size_t kThreads = 4;
  constexpr size_t kRounds = 20000;
  Gauge gauge;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (size_t round = 0; round < kRounds; ++round) {
        gauge.add(3);
        gauge.subtract(2);
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(gauge.value(), kThreads * kRounds);
  EXPECT_GE(gauge.highest(), gauge.value());
  EXPECT_LE(gauge.highest(), gauge.value() + 2 * kThreads);
}

} // namespace
} // namespace abut::heap
