// When free pages go back to the kernel, and what is known of those that stay.
#include "helpers/page_runs_fixture.hpp"

namespace abut::heap {
namespace {

class PageReturn : public PageRunsFixture {
protected:
  // A page in use keeps the segment, so that its free pages can be looked at.
  void SetUp() override { allocate(1); }

  PageRun allocate_and_touch(uint32_t count) {
    const PageRun run = allocate(count);
    touch(run);
    return run;
  }
};

TEST_F(PageReturn, FreePagesStayResidentWithinTheAllowance) {
  const PageRun run = allocate_and_touch(100);
  release(run);
  EXPECT_EQ(resident(run), 100U);
  EXPECT_EQ(free_resident(), 100U);
  const PageRun again = allocate(100);
  EXPECT_EQ(again.address(), run.address());
  EXPECT_FALSE(again.clean);
  EXPECT_EQ(free_resident(), 0U);
}

TEST_F(PageReturn, FreePagesAboveTheAllowanceGoBackAtOnce) {
  retain.set(0);
  const PageRun run = allocate_and_touch(100);
  release(run);
  EXPECT_EQ(resident(run), 0U);
  EXPECT_EQ(free_resident(), 0U);
}

TEST_F(PageReturn, AllowanceGrowsWithWhatIsInUse) {
  retain.set(0);
  const PageRun kept = allocate_and_touch(512);
  const PageRun small = allocate_and_touch(16);
  release(small);
  EXPECT_EQ(resident(small), 16U) << "16 free pages are little beside 512 in use";
  const PageRun large = allocate_and_touch(300);
  release(large);
  EXPECT_EQ(resident(large), 0U) << "300 free pages are much";
  EXPECT_EQ(resident(kept), 512U);
}

TEST_F(PageReturn, FreePagesGoBackWhenTheirTimeHasCome) {
  const PageRun run = allocate_and_touch(100);
  release(run);
  const uint64_t now = os::coarse_milliseconds();
  runs.decay(now + kDecayMs / 2);
  EXPECT_EQ(resident(run), 100U) << "half of the time is not enough";
  runs.decay(now + kDecayMs + 1000);
  EXPECT_EQ(resident(run), 0U);
  EXPECT_EQ(free_resident(), 0U);
}

TEST_F(PageReturn, DecayLeavesPagesInUseAlone) {
  const PageRun before = allocate(10);
  const PageRun gone = allocate_and_touch(10);
  const PageRun after = allocate(10);
  for (const PageRun &run : {before, after})
    support::fill(memory(run), bytes(run), run.pages.first);
  release(gone);
  runs.decay(os::coarse_milliseconds() + kDecayMs + 1000);
  EXPECT_EQ(resident(gone), 0U);
  for (const PageRun &run : {before, after})
    EXPECT_TRUE(support::holds(memory(run), bytes(run), run.pages.first));
}

TEST_F(PageReturn, TrimGivesEverythingBackAndSaysHowMuch) {
  const PageRun first = allocate_and_touch(100);
  allocate(1);
  const PageRun second = allocate_and_touch(50);
  release(first);
  release(second);
  EXPECT_EQ(runs.trim(), 150 * kPageBytes);
  EXPECT_EQ(resident(first), 0U);
  EXPECT_EQ(resident(second), 0U);
  EXPECT_EQ(runs.trim(), 0U);
}

TEST_F(PageReturn, SegmentsWithoutAPageInUseAreUnmapped) {
  const size_t mapped = segment_map.mapped_bytes();
  const size_t before = segments();
  std::vector<PageRun> large;
  for (int i = 0; i < 8; ++i) large.push_back(allocate_and_touch(PageRuns::kMost.n));
  EXPECT_GT(segments(), before + 3);
  for (const PageRun &run : large) release(run);
  runs.trim();
  EXPECT_EQ(segments(), before);
  EXPECT_EQ(segment_map.mapped_bytes(), mapped);
  EXPECT_FALSE(test::is_mapped(memory(large.back())));
}

TEST_F(PageReturn, PagesThatWentBackAreClean) {
  const PageRun run = allocate(100);
  support::fill(memory(run), bytes(run), 1);
  release(run);
  runs.trim();
  const PageRun again = allocate(100);
  EXPECT_EQ(again.address(), run.address());
  EXPECT_TRUE(again.clean);
  EXPECT_TRUE(reads_as_zero(again));
}

TEST_F(PageReturn, TheTailOfAShrunkRunIsDirty) {
  PageRun run = allocate_and_touch(20);
  allocate(1);
  ASSERT_TRUE(resize(run, 8));
  EXPECT_EQ(free_resident(), 12U);
  EXPECT_FALSE(allocate(12).clean);
}

TEST_F(PageReturn, PagesThatARunGrowsIntoAreNoLongerFree) {
  PageRun run = allocate_and_touch(5);
  const PageRun gap = allocate_and_touch(10);
  allocate(1);
  release(gap);
  ASSERT_TRUE(resize(run, 15));
  EXPECT_EQ(free_resident(), 0U);
  touch(run);
  EXPECT_EQ(runs.trim(), 0U);
  EXPECT_EQ(resident(run), 15U);
}

} // namespace
} // namespace abut::heap
