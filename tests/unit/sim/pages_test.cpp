#include "sim/pages/page_curve.hpp"
#include "sim/pages/page_model.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace {

using namespace abut::sim;

TEST(PageModel, only_whole_pages_go_back) {
  PageModel model;
  const std::vector<uint64_t> addresses{0x1000, 0x2000, 0x3000, 0x4000};
  model.take({addresses, {}, {}, {}, {}});
  model.discard(0x1800, 0x2000);
  EXPECT_EQ(model.use().in_use, 3);
  model.discard(0, UINT64_MAX);
  EXPECT_EQ(model.use().in_use, 0);
  EXPECT_EQ(model.use().most_in_use, 4);
  model.take({addresses, {}, {}, {}, {}});
  EXPECT_EQ(model.use().in_use, 4);
}

TEST(PageModel, no_more_than_all_pages_are_forgotten) {
  PageModel model({1, 4});
  const std::vector<uint64_t> addresses{0x1000, 0x2000, 0x3000, 0x4000, 0x5000};
  for (int i = 0; i < 100; ++i) {
    model.discard(0, UINT64_MAX); // first touches and discards stay, however many
    model.take({addresses, {}, {}, {}, {}});
  }
  EXPECT_EQ(model.reduction().exact_from(), 8);
}

// By side: how many references miss in a memory of so many frames.
std::array<uint64_t, kSides> misses_of(const PageReduction &reduction, size_t frames) {
  const PageCurve curve = page_curve(reduction.steps(), {}, {});
  std::array<uint64_t, kSides> misses{};
  for (size_t side = 0; side < kSides; ++side)
    for (size_t i = frames + 1; i < curve.frames[side].size(); ++i)
      misses[side] += curve.frames[side][i];
  return misses;
}

// What memories miss is held against models in tests/python/simulation/test_pages.py.
TEST(PageReduction, keeps_every_miss_of_larger_memories_when_it_is_tightened) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    support::Random random(seed);
    const auto kept = static_cast<uint32_t>(1 + random.below(4));
    PageReduction exact(kept);
    PageReduction tightened(kept);
    const uint64_t one_in = 3 + random.below(30);
    for (uint64_t left = random.below(600); left != 0; --left) {
      const auto page = static_cast<uint32_t>(random.below(1 + random.below(30)));
      const PageStep step = random.below(one_in) == 0 ? PageStep::discard(page)
                                                      : PageStep::reference(page, random.below(2));
      exact.take(step);
      tightened.take(step);
      if (left == 200) tightened.tighten(2 * kept);
    }
    for (size_t frames = 2 * kept; frames < 32; ++frames)
      ASSERT_EQ(misses_of(tightened, frames), misses_of(exact, frames)) << seed << " " << frames;
  }
}

} // namespace
