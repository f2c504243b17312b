// Every search is compared with the loop over single bits that it stands for.
#include "base/bits.hpp"

#include "helpers/bit_vector.hpp"
#include "helpers/print_range.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace abut {
namespace {

using test::BitVector;

uint32_t naive_next(const BitVector &set, bool value, uint32_t from) {
  while (from < set.size() && set.bits[from] != value) ++from;
  return std::min(from, set.size());
}

uint32_t naive_after_last(const BitVector &set, uint32_t before) {
  while (before > 0 && !set.bits[before - 1]) --before;
  return before;
}

Range naive_zero_run(const BitVector &set, uint32_t from) {
  const uint32_t first = naive_next(set, false, from);
  return first == set.size() ? Range{} : Range{first, naive_next(set, true, first) - first};
}

// Calls `check` with bit sets of one to eight words, from single bits to runs of several words.
template <class Check>
void for_random_sets(Check check) {
  support::Random random(1);
  for (uint32_t words = 1; words <= 8; ++words)
    for (uint32_t longest_run : {1U, 3U, 60U, 64U, 200U, 1000U})
      for (int round = 0; round < 8; ++round)
        check(BitVector::random(random, words * 64, longest_run));
}

TEST(NextBit, FindsTheNextSetAndTheNextClearBit) {
  for_random_sets([](const BitVector &set) {
    for (uint32_t from = 0; from <= set.size() + 1; ++from) {
      const uint32_t end = set.size();
      ASSERT_EQ(next_bit<true>(set.words.data(), end, from), naive_next(set, true, from)) << from;
      ASSERT_EQ(next_bit<false>(set.words.data(), end, from), naive_next(set, false, from)) << from;
    }
  });
}

TEST(BitsOfARange, AreSetAndClearedAndCounted) {
  for_random_sets([](const BitVector &set) {
    for (uint32_t first = 0; first < set.size(); first += 7)
      for (const uint32_t count : {0U, 1U, 5U, 63U, 64U, 65U, 129U}) {
        if (first + count > set.size()) continue;
        std::vector<uint64_t> changed = set.words;
        uint32_t were_set = 0;
        for (uint32_t i = first; i < first + count; ++i) were_set += set.bits[i];
        ASSERT_EQ(clear_bits(changed.data(), {first, count}), were_set) << first << " " << count;
        for (uint32_t i = 0; i < set.size(); ++i)
          ASSERT_EQ((changed[i / 64] >> i % 64) & 1,
                    set.bits[i] && (i < first || i >= first + count));
        set_bits(changed.data(), {first, count});
        ASSERT_EQ(clear_bits(changed.data(), {first, count}), count);
      }
  });
}

TEST(AfterLastBit, FindsTheLastSetBitBelow) {
  for_random_sets([](const BitVector &set) {
    for (uint32_t before = 0; before <= set.size(); ++before)
      ASSERT_EQ(after_last_bit(set.words.data(), before), naive_after_last(set, before)) << before;
  });
}

TEST(NextZeroRun, FindsEachRunToItsEnd) {
  for_random_sets([](const BitVector &set) {
    for (uint32_t from = 0; from <= set.size(); ++from)
      ASSERT_EQ(next_zero_run(set.words.data(), set.size(), from), naive_zero_run(set, from))
          << from;
  });
}

TEST(FitIn, FindsTheFirstAlignedPlaceOrNone) {
  for (uint32_t align : {1U, 2U, 8U, 64U})
    for (uint32_t first = 0; first < 70; ++first)
      for (uint32_t length = 0; length < 80; ++length)
        for (uint32_t count : {1U, 5U, 16U, 64U}) {
          uint32_t at = first;
          while (at % align != 0) ++at;
          const Range expected = at + count <= first + length ? Range{at, count} : Range{};
          ASSERT_EQ(fit_in({first, length}, count, align), expected) << "align " << align;
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
