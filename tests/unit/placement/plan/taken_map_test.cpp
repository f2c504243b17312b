#include "placement/plan/taken_map.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace abut::plan {
namespace {

constexpr uint64_t kGranules = 1000;

// As in a process of one thread, and as among several.
struct TakenMapTest : testing::TestWithParam<bool> {
  TakenMapTest() : words(TakenMap::words_for(kGranules)) { map.open(words.data(), kGranules); }
  bool take(uint64_t at, uint32_t count) {
    return map.take(at, count, GetParam()) != TakenMap::Taking::refused;
  }
  std::vector<uint64_t> words;
  TakenMap map;
};

TEST_P(TakenMapTest, WhatIsTakenIsNotTakenAgain) {
  EXPECT_TRUE(take(30, 5)); // in two words
  for (uint64_t at = 25; at < 36; ++at) EXPECT_EQ(take(at, 5), at == 25 || at == 35) << at;
}

TEST_P(TakenMapTest, ABlockIsAsLongAsItWasTaken) {
  for (uint32_t count = 1; count <= TakenMap::kMost; ++count)
    for (uint64_t at : {0, 1, 31, 32, 33, 63}) {
      ASSERT_TRUE(take(at, count));
      EXPECT_EQ(map.length_at(at), count) << at;
      EXPECT_TRUE(count == 1 || map.length_at(at + 1) == 0);
      EXPECT_EQ(map.give_back(at), count);
      EXPECT_EQ(map.give_back(at), 0U);
    }
}

TEST_P(TakenMapTest, SaysWhichIsTheFirstInItsWord) {
  EXPECT_EQ(map.take(30, 5, GetParam()), TakenMap::Taking::first_in_word);
  EXPECT_EQ(map.take(3, 2, GetParam()), TakenMap::Taking::done);
  EXPECT_EQ(map.take(40, 2, GetParam()), TakenMap::Taking::done); // the first one reaches into it
  EXPECT_EQ(map.take(64, 2, GetParam()), TakenMap::Taking::first_in_word);
  map.give_back(64);
  EXPECT_EQ(map.take(90, 1, GetParam()), TakenMap::Taking::first_in_word);
}

TEST_P(TakenMapTest, WhatIsTakenAtOnceIsTakenAsByTheOtherWay) {
  EXPECT_TRUE(map.take_at_once(30, 2));
  EXPECT_FALSE(map.take_at_once(31, 1));
  EXPECT_FALSE(map.take_at_once(94, 5)); // in two words
  EXPECT_TRUE(map.take_at_once(64, TakenMap::kMost));
  EXPECT_FALSE(take(30, 1));
  EXPECT_EQ(map.length_at(30), 2U);
  EXPECT_EQ(map.give_back(64), TakenMap::kMost);
  EXPECT_EQ(map.length_at(64), 0U);
}

TEST_P(TakenMapTest, WhatFailedHalfwayLeavesNoTrace) {
  ASSERT_TRUE(take(33, 1));
  EXPECT_FALSE(take(30, 8));
  EXPECT_EQ(map.length_at(30), 0U);
  EXPECT_TRUE(take(30, 3));
}

TEST_P(TakenMapTest, DoesAsASimpleModelDoes) {
  support::Random random(1);
  std::map<uint64_t, uint32_t> model;
  std::vector<bool> taken(kGranules);
  for (int step = 0; step < 200'000; ++step) {
    const auto count = static_cast<uint32_t>(1 + random.below(TakenMap::kMost));
    const uint64_t at = random.below(kGranules - count);
    if (random.below(2) == 0) {
      bool free = true;
      for (uint64_t i = at; i < at + count; ++i) free = free && !taken[i];
      ASSERT_EQ(take(at, count), free);
      if (!free) continue;
      model[at] = count;
      for (uint64_t i = at; i < at + count; ++i) taken[i] = true;
    } else {
      const auto found = model.find(at);
      ASSERT_EQ(map.length_at(at), found == model.end() ? 0 : found->second);
      ASSERT_EQ(map.give_back(at), found == model.end() ? 0 : found->second);
      if (found == model.end()) continue;
      for (uint64_t i = at; i < at + found->second; ++i) taken[i] = false;
      model.erase(found);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, TakenMapTest, testing::Bool());

} // namespace
} // namespace abut::plan
