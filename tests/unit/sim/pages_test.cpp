#include "sim/pages/page_lru.hpp"
#include "sim/pages/page_model.hpp"
#include "sim/pages/page_reduction.hpp"
#include "sim/pages/swap_prefetch.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace abut::sim;

using Steps = std::vector<PageStep>;
using Misses = std::vector<std::pair<uint32_t, size_t>>; // page, side

Steps made_up_steps(support::Random &random, uint32_t pages) {
  Steps steps;
  const uint64_t one_in = 3 + random.below(30);
  for (uint64_t left = random.below(600); left != 0; --left) {
    const auto page = static_cast<uint32_t>(random.below(1 + random.below(pages)));
    steps.push_back(random.below(one_in) == 0 ? PageStep::discard(page)
                                              : PageStep::reference(page, random.below(2)));
  }
  return steps;
}

// One memory, as anybody would write it: the newest page last.
Misses misses_of(const Steps &steps, size_t frames) {
  std::vector<uint32_t> memory;
  std::set<uint32_t> in_use;
  Misses misses;
  for (const PageStep step : steps) {
    const auto found = std::find(memory.begin(), memory.end(), step.page());
    const bool here = found != memory.end();
    if (here) memory.erase(found);
    if (step.is_discard()) {
      in_use.erase(step.page());
      continue;
    }
    if (!here && in_use.contains(step.page())) misses.emplace_back(step.page(), step.side());
    in_use.insert(step.page());
    memory.push_back(step.page());
    if (memory.size() > frames) memory.erase(memory.begin());
  }
  return misses;
}

Misses stack_misses_of(const Steps &steps, size_t frames) {
  PageLru queue;
  Misses misses;
  for (const PageStep step : steps)
    if (step.is_discard())
      queue.discard(step.page());
    else if (queue.reference(step.page()) > frames)
      misses.emplace_back(step.page(), step.side());
  return misses;
}

TEST(PageLru, tells_every_memorys_misses_at_once) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    support::Random random(seed);
    const auto pages = static_cast<uint32_t>(2 + random.below(30));
    const Steps steps = made_up_steps(random, pages);
    for (size_t frames = 1; frames <= pages; ++frames)
      ASSERT_EQ(stack_misses_of(steps, frames), misses_of(steps, frames)) << seed << " " << frames;
  }
}

TEST(PageReduction, keeps_every_miss_of_memories_that_are_large_enough) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    support::Random random(seed);
    const auto pages = static_cast<uint32_t>(2 + random.below(30));
    const auto kept = static_cast<uint32_t>(2 + random.below(8));
    const Steps steps = made_up_steps(random, pages);
    PageReduction at_once(kept), in_turn(kept / 2);
    for (const PageStep step : steps) at_once.take(step);
    for (const PageStep step : steps) in_turn.take(step);
    in_turn.tighten(kept);
    for (size_t frames = kept; frames <= pages; ++frames) {
      const Misses expected = misses_of(steps, frames);
      ASSERT_EQ(misses_of(at_once.steps(), frames), expected) << seed << " " << frames;
      ASSERT_EQ(misses_of(in_turn.steps(), frames), expected) << seed << " " << frames;
    }
  }
}

TEST(PageReduction, what_stays_in_the_smallest_memory_costs_nothing) {
  PageReduction reduction(8);
  for (uint32_t i = 0; i < 100'000; ++i) reduction.take(PageStep::reference(i % 8, 0));
  EXPECT_EQ(reduction.count(), 16);
}

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

TEST(SwapPrefetch, reads_the_aligned_group_and_forgets_the_oldest) {
  SwapPrefetch disk({.buffer_pages = 7, .group_pages = 8});
  EXPECT_FALSE(disk.miss(3));
  EXPECT_FALSE(disk.miss(3)); // it went into memory, and not into the buffer
  EXPECT_TRUE(disk.miss(4));
  EXPECT_FALSE(disk.miss(4)); // taken out; now 3 comes along in its place
  EXPECT_TRUE(disk.miss(3));
  EXPECT_FALSE(disk.miss(8)); // its seven drive out the others
  EXPECT_FALSE(disk.miss(5));
  EXPECT_TRUE(disk.miss(6));
}

} // namespace
