#include "base/bits.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace abut {
namespace {

// Compared with the loop over single bits that it stands for, in sparse and dense words.
TEST(NextBit, FindsTheNextBitThatIsSet) {
  support::Random random(1);
  for (uint32_t words = 1; words <= 8; ++words)
    for (const uint64_t one_in : {1, 3, 60, 300}) {
      const uint32_t bits = words * 64;
      std::vector<uint64_t> set(words);
      for (uint32_t at = 0; at < bits; ++at)
        if (random.below(one_in) == 0) set[at / 64] |= uint64_t{1} << at % 64;
      for (uint32_t from = 0; from <= bits + 1; ++from) {
        uint32_t next = std::min(from, bits);
        while (next < bits && (set[next / 64] >> next % 64 & 1) == 0) ++next;
        ASSERT_EQ(next_bit(set.data(), bits, from), next) << from << " of " << bits;
      }
    }
}

TEST(Range, IsTrueWhereItHasAnything) {
  EXPECT_FALSE(Range{});
  EXPECT_FALSE((Range{5, 0}));
  EXPECT_TRUE((Range{0, 1}));
  EXPECT_EQ((Range{5, 3}.end()), 8U);
}

} // namespace
} // namespace abut
