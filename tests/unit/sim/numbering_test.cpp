#include "sim/reuse/numbering.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace {

using abut::sim::Numbering;

TEST(Numbering, KnownKeysHaveNumbersOfTheirOwnAndOthersHaveNone) {
  Numbering numbering;
  std::map<uint64_t, uint32_t> known;
  support::Random random(1);
  size_t most = 0;
  for (int step = 0; step < 5000; ++step) {
    const uint64_t key = random.below(200);
    if (!known.contains(key)) {
      EXPECT_EQ(numbering.find(key), Numbering::kNone);
      known[key] = numbering.number(key);
    } else if (random.below(2) == 0) {
      numbering.erase(key);
      known.erase(key);
    }
    most = std::max(most, known.size());
    EXPECT_EQ(numbering.count(), known.size());
    EXPECT_EQ(numbering.end(), most); // what was given back is given out first
  }
  std::set<uint32_t> numbers;
  for (const auto &[key, number] : known) {
    EXPECT_EQ(numbering.number(key), number);
    EXPECT_EQ(numbering.find(key), number);
    numbers.insert(number);
  }
  EXPECT_EQ(numbers.size(), known.size());
}

} // namespace
