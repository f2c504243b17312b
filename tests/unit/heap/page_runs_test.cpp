// Where runs of pages lie: alignment, best fit, coalescing, resizing.
#include "helpers/page_runs_fixture.hpp"

#include "support/random.hpp"

#include <algorithm>
#include <array>

namespace abut::heap {
namespace {

class PageRunsTest : public PageRunsFixture {
protected:
  // One segment with holes of the given lengths between pages in use; returns where the holes begin.
  template <size_t N>
  std::array<Address, N> make_holes(const std::array<uint32_t, N> &lengths) {
    std::array<PageRun, N> gaps;
    allocate(1);
    for (size_t i = 0; i < N; ++i) {
      gaps[i] = allocate(lengths[i]);
      allocate(1);
    }
    std::array<Address, N> begins;
    for (size_t i = 0; i < N; ++i) {
      EXPECT_EQ(gaps[i].segment, gaps[0].segment);
      begins[i] = gaps[i].address();
      release(gaps[i]);
    }
    return begins;
  }
};

TEST_F(PageRunsTest, BeginAtAMultipleOfTheirAlignment) {
  for (uint32_t count :
       {1U, 2U, 16U, 63U, 64U, 65U, 256U, Pages::holding(kLargeMax).n, PageRuns::kMost.n})
    for (uint32_t align = 1; align <= 256; align *= 2) {
      const PageRun run = allocate(count, align);
      ASSERT_TRUE(run);
      EXPECT_EQ(run.pages.first % align, 0U) << count << " at " << align;
      EXPECT_EQ(run.pages.count, count);
      EXPECT_GE(run.pages.first, RunSegment::kHeaderPages)
          << "the segment's description is in the way";
      EXPECT_LE(run.pages.end(), kPagesInSegment);
      EXPECT_EQ(run.address(), run.segment->page_address(run.pages.first));
    }
}

TEST_F(PageRunsTest, AreFreshAndCleanAtFirst) {
  const PageRun run = allocate(PageRuns::kMost.n);
  EXPECT_TRUE(run.clean);
  EXPECT_EQ(resident(run), 0U);
  EXPECT_TRUE(reads_as_zero(run));
}

TEST_F(PageRunsTest, TakeTheSmallestHoleThatFits) {
  const auto holes = make_holes(std::array<uint32_t, 4>{9, 3, 40, 5});
  EXPECT_EQ(allocate(4).address(), holes[3]);
  EXPECT_EQ(allocate(3).address(), holes[1]);
  EXPECT_EQ(allocate(30).address(), holes[2]);
  EXPECT_EQ(allocate(9).address(), holes[0]);
  EXPECT_EQ(allocate(10).address(), holes[2] + 30 * kPageBytes) << "what was left of its hole";
  EXPECT_EQ(segments(), 1U);
}

TEST_F(PageRunsTest, PassOverAHoleThatIsLongEnoughButNotAligned) {
  while (allocate(1).pages.end() % 16 != 1) {
  }
  const PageRun hole = allocate(17); // no place in it for 16 pages at a multiple of 16
  allocate(1);
  release(hole);
  EXPECT_NE(allocate(16, 16).address(), hole.address());
  EXPECT_EQ(allocate(17).address(), hole.address());
  EXPECT_EQ(segments(), 1U);
}

TEST_F(PageRunsTest, CoalesceInWhateverOrderTheyAreFreed) {
  std::array<int, 3> order{0, 1, 2};
  do {
    std::array<PageRun, 3> parts;
    allocate(1);
    for (PageRun &part : parts) part = allocate(7);
    allocate(1);
    const Address begin = parts[0].address();
    for (int index : order) release(parts[static_cast<size_t>(index)]);
    const PageRun whole = allocate(21);
    EXPECT_EQ(whole.address(), begin) << order[0] << order[1] << order[2];
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(PageRunsTest, GrowWhereTheyLieWhenThereIsRoom) {
  PageRun run = allocate(5);
  support::fill(memory(run), bytes(run), 1);
  const PageRun gap = allocate(10);
  allocate(1);
  release(gap);
  ASSERT_TRUE(resize(run, 12));
  EXPECT_TRUE(support::holds(memory(run), 5 * kPageBytes, 1));
  ASSERT_TRUE(resize(run, 15)) << "to the last free page";
  EXPECT_FALSE(resize(run, 16)) << "the next page is in use";
  EXPECT_EQ(run.segment->runs.length_at(run.pages.first), 15U) << "a refusal changes nothing";
}

TEST_F(PageRunsTest, DoNotGrowBeyondTheirSegment) {
  PageRun last = allocate(1);
  while (last.pages.end() != kPagesInSegment) last = allocate(1);
  EXPECT_FALSE(resize(last, 2));
}

TEST_F(PageRunsTest, ShrinkWhereTheyLieAndFreeTheRest) {
  PageRun run = allocate(20);
  support::fill(memory(run), bytes(run), 2);
  allocate(1);
  ASSERT_TRUE(resize(run, 20)) << "the same size is always possible";
  ASSERT_TRUE(resize(run, 8));
  EXPECT_TRUE(support::holds(memory(run), bytes(run), 2));
  EXPECT_EQ(allocate(12).address(), run.address() + 8 * kPageBytes);
}

TEST_F(PageRunsTest, AreCountedWhileTheyAreTaken) {
  const size_t before = pages_taken.value();
  PageRun run = allocate(20);
  EXPECT_EQ(pages_taken.value(), before + 20);
  ASSERT_TRUE(resize(run, 25));
  EXPECT_EQ(pages_taken.value(), before + 25);
  ASSERT_TRUE(resize(run, 5));
  EXPECT_EQ(pages_taken.value(), before + 5);
  release(run);
  EXPECT_EQ(pages_taken.value(), before);
}

TEST_F(PageRunsTest, FillASegmentBeforeTheNextOneIsTaken) {
  const uint32_t count = RunSegment::kUsablePages;
  for (uint32_t i = 0; i < count; ++i) allocate(1);
  EXPECT_EQ(segments(), 1U);
  allocate(1);
  EXPECT_EQ(segments(), 2U);
}

// Runs of random lengths are taken, resized and freed; each holds its own pattern, so that an overlap shows, and
// what is said to be clean must read as zero.
TEST_F(PageRunsTest, KeepApartThroughRandomChanges) {
  struct Held {
    PageRun run;
    uint64_t key;
  };
  support::Random random(5);
  std::vector<Held> held;
  size_t pages = 0;
  for (uint64_t step = 0; step < 1000; ++step) {
    if (pages < 4000 && random.below(2) != 0) {
      const auto count = static_cast<uint32_t>(random.size_up_to(PageRuns::kMost.n));
      const PageRun run = allocate(count, 1U << random.below(6));
      if (run.clean) {
        ASSERT_TRUE(reads_as_zero(run)) << "in step " << step;
      }
      support::fill(memory(run), bytes(run), step);
      held.push_back({run, step});
      pages += count;
    } else if (!held.empty()) {
      const size_t index = random.below(held.size());
      Held &one = held[index];
      const uint32_t before = one.run.pages.count;
      const auto count = static_cast<uint32_t>(random.size_up_to(PageRuns::kMost.n));
      ASSERT_TRUE(support::holds(memory(one.run), Pages{before}.bytes(), one.key))
          << "in step " << step;
      if (random.below(3) == 0 && resize(one.run, count)) {
        support::fill(memory(one.run), bytes(one.run), one.key);
        pages += count;
      } else {
        release(one.run);
        held.erase(held.begin() + static_cast<ptrdiff_t>(index));
      }
      pages -= before;
    }
    if (step % 100 == 0) runs.trim();
  }
  for (const Held &one : held)
    EXPECT_TRUE(support::holds(memory(one.run), bytes(one.run), one.key));
}

} // namespace
} // namespace abut::heap
