// Large blocks of one size must not all begin at the same place in the cache: their low 12 address
// bits pick the sets of a first-level cache, and with one pick for all, a walk over their heads
// evicts itself.
#include "support/allocator.hpp"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace {

class Colouring : public testing::TestWithParam<std::size_t> {};

TEST_P(Colouring, SpreadsBlocksOfOneSizeOverTheCacheSets) {
  if (!support::runs_under_abut()) GTEST_SKIP() << "a promise of this library alone";
  std::vector<void *> blocks(64);
  std::set<std::uintptr_t> places;
  for (void *&block : blocks) {
    block = std::malloc(GetParam());
    places.insert(reinterpret_cast<std::uintptr_t>(block) % 4096 / 64);
  }
  for (void *block : blocks) std::free(block);
  EXPECT_GE(places.size(), 16u) << "of 64 lines in a page, over 64 blocks";
}

INSTANTIATE_TEST_SUITE_P(OfBytes, Colouring,
                         testing::Values(65'536, 100'000, 262'144, 1'000'000, 1 << 20, 4 << 20,
                                         32 << 20),
                         testing::PrintToStringParamName());

} // namespace
