// Where rows of pages lie: alignment, the lowest place that fits, coalescing, resizing.
#include "helpers/page_store_fixture.hpp"

#include "base/policies.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <sys/syscall.h>
#include <unistd.h>

namespace abut::heap {
namespace {

class PageStoreTest : public PageStoreFixture {
protected:
  // One segment with holes of the given lengths between pages in use; returns them.
  template <size_t N>
  std::array<Page *, N> make_holes(const std::array<unsigned, N> &lengths) {
    std::array<HeldRow, N> gaps;
    allocate(1);
    for (size_t i = 0; i < N; ++i) {
      gaps[i] = allocate(lengths[i]);
      allocate(1);
    }
    while (store.segments() == 1) last_ = allocate(1); // nothing is left behind the holes
    std::array<Page *, N> begins;
    for (size_t i = 0; i < N; ++i) {
      begins[i] = gaps[i].page;
      release(gaps[i]);
    }
    return begins;
  }

  HeldRow last_;
};

TEST_F(PageStoreTest, RowsBeginAtAMultipleOfTheirAlignment) {
  for (unsigned pages : {1U, 2U, 5U, 16U, 31U, kMost})
    for (unsigned align = 1; align <= 16; align *= 2) {
      const HeldRow row = allocate(pages, align);
      EXPECT_EQ(row.index() % align, 0U) << pages << " at " << align;
      EXPECT_GE(row.index(), PageSegment::head_pages(SegmentKind::size_pages));
      EXPECT_LE(row.index() + pages, kBlockPages);
    }
}

// Who has just asked whether blocks lie there may be about to read.
TEST_F(PageStoreTest, ASegmentThatIsLeftCanStillBeReadWhileObjectsArePlaced) {
  enable(Policy::friends);
  const HeldRow row = allocate(kMost);
  row.touch();
  PageSegment *segment = row.segment();
  release(row);
  trim();
  disable(Policy::friends);
  EXPECT_EQ(store.segments(), 0U);
  EXPECT_EQ(segment_map.kind_at(reinterpret_cast<Address>(segment)), SegmentKind::foreign);
  EXPECT_EQ(row.resident(), 0U);
  EXPECT_LE(test::resident_pages(segment, segment->mapped), 4U);
  EXPECT_TRUE(test::is_mapped(row.memory()));
  const HeldRow again = allocate(kMost);
  EXPECT_EQ(again.segment(), segment);
  EXPECT_TRUE(again.is_clean);
  EXPECT_TRUE(again.reads_as_zero());
  release(again);
  enable(Policy::friends);
  trim();
  disable(Policy::friends);
  store.unmap_hidden(segment->freed_at - 1);
  EXPECT_TRUE(test::is_mapped(segment));
  store.unmap_hidden();
  EXPECT_FALSE(test::is_mapped(segment));
}

TEST_F(PageStoreTest, ASegmentThatHasALockedPageIsNotLeftBehind) {
  enable(Policy::friends);
  const HeldRow row = allocate(kMost);
  row.touch();
  const bool is_locked = syscall(SYS_mlock, row.memory(), kPageBytes) ==
                         0; // sanitizers have an mlock that does nothing
  release(row);
  trim();
  disable(Policy::friends);
  EXPECT_EQ(test::is_mapped(row.memory()), !is_locked);
  store.unmap_hidden();
}

TEST_F(PageStoreTest, FreshRowsAreClean) {
  const HeldRow row = allocate(kMost);
  EXPECT_TRUE(row.is_clean);
  EXPECT_EQ(row.resident(), 0U);
  EXPECT_TRUE(row.reads_as_zero());
}

TEST_F(PageStoreTest, ARowLiesWhereAHoleIsLongEnough) {
  const auto holes = make_holes(std::array<unsigned, 3>{2, 5, 9});
  EXPECT_EQ(allocate(6).page, holes[2]);
  EXPECT_EQ(allocate(4).page, holes[1]);
  EXPECT_EQ(allocate(3).page, holes[2] + 6);
  EXPECT_EQ(allocate(1).page, holes[0]);
  EXPECT_EQ(store.segments(), 2U);
}

TEST_F(PageStoreTest, AHoleThatIsAsLongComesBeforeALongerOne) {
  const auto holes = make_holes(std::array<unsigned, 3>{9, 5, 3});
  EXPECT_EQ(allocate(3).page, holes[2]);
  EXPECT_EQ(allocate(5).page, holes[1]);
  EXPECT_EQ(allocate(9).page, holes[0]);
}

TEST_F(PageStoreTest, AHoleThatIsAsLongComesFirstThoughItsSegmentWasFreedEarlier) {
  const HeldRow early = allocate(3);
  while (store.segments() == 1) allocate(1);
  const HeldRow late = allocate(9);
  while (store.segments() == 2) allocate(1);
  release(early);
  release(late);
  EXPECT_EQ(allocate(3).page, early.page);
  EXPECT_EQ(allocate(3).page, late.page);
}

// A large block may leave most of its pages untouched: what is written to them then has no memory yet.
TEST_F(PageStoreTest, WhereSmallBlocksWereSmallOnesComeFirstAndLargeOnesLast) {
  static LocalHeap owner;
  const auto [small, clean, states] = store.take(&owner, {}, kStatesAtOnce);
  small->states = states;
  const HeldRow large = allocate(1);
  const auto free_both = [&](bool small_last) {
    if (small_last) release(large);
    store.give_back(small, 1, kBlockPageBytes);
    if (!small_last) release(large);
  };
  for (const bool small_last : {false, true}) {
    free_both(small_last);
    const auto again = store.take(&owner, {}, kStatesAtOnce);
    again.page->states = again.states;
    EXPECT_EQ(again.page, small) << small_last;
    EXPECT_EQ(allocate(1).page, large.page);
  }
  free_both(true);
  EXPECT_EQ(allocate(1).page, large.page);
  EXPECT_EQ(allocate(1).page, small) << "what is resident comes before what is not";
}

TEST_F(PageStoreTest, AHoleThatIsLongEnoughButNotAlignedIsPassedOver) {
  while (allocate(1).index() % 4 != 0) {
  }
  const HeldRow hole = allocate(6); // no place in it for 4 pages at a multiple of 4
  allocate(1);
  release(hole);
  EXPECT_NE(allocate(4, 4).page, hole.page);
  EXPECT_EQ(allocate(6).page, hole.page);
  EXPECT_EQ(store.segments(), 1U);
}

TEST_F(PageStoreTest, RowsCoalesceInWhateverOrderTheyAreFreed) {
  std::array<int, 3> order{0, 1, 2};
  do {
    std::array<HeldRow, 3> parts;
    allocate(1);
    for (HeldRow &part : parts) part = allocate(2);
    allocate(1);
    for (int index : order) release(parts[static_cast<size_t>(index)]);
    const HeldRow whole = allocate(6);
    EXPECT_EQ(whole.page, parts[0].page) << order[0] << order[1] << order[2];
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(PageStoreTest, ARowGrowsWhereItLiesIfThereIsRoom) {
  HeldRow row = allocate(5);
  support::fill(row.memory(), row.bytes(), 1);
  const HeldRow gap = allocate(10);
  allocate(1);
  release(gap);
  const HeldRow before = row;
  ASSERT_TRUE(resize(row, 12));
  EXPECT_TRUE(support::holds(before.memory(), before.bytes(), 1));
  ASSERT_TRUE(resize(row, 15)) << "to the last free page";
  EXPECT_FALSE(resize(row, 16)) << "the next page is in use";
}

TEST_F(PageStoreTest, ARowDoesNotGrowBeyondItsSegment) {
  HeldRow last = allocate(1);
  while (last.index() != kBlockPages - 1) last = allocate(1);
  EXPECT_FALSE(resize(last, 2));
}

TEST_F(PageStoreTest, ARowShrinksWhereItLiesAndFreesTheRest) {
  HeldRow row = allocate(20);
  support::fill(row.memory(), row.bytes(), 2);
  allocate(1);
  ASSERT_TRUE(resize(row, 8));
  EXPECT_TRUE(support::holds(row.memory(), row.bytes(), 2));
  EXPECT_EQ(allocate(12).page, row.page + 8);
}

TEST_F(PageStoreTest, PagesAreCountedWhileTheyAreTaken) {
  const size_t before = pages_taken.value();
  HeldRow row = allocate(10);
  EXPECT_EQ(pages_taken.value(), before + 10 * kOwn);
  ASSERT_TRUE(resize(row, 15));
  EXPECT_EQ(pages_taken.value(), before + 15 * kOwn);
  ASSERT_TRUE(resize(row, 5));
  EXPECT_EQ(pages_taken.value(), before + 5 * kOwn);
  release(row);
  EXPECT_EQ(pages_taken.value(), before);
}

TEST_F(PageStoreTest, ASegmentIsFullBeforeTheNextOneIsTaken) {
  for (unsigned i = 1; i < kBlockPages; ++i) allocate(1);
  EXPECT_EQ(store.segments(), 1U);
  allocate(1);
  EXPECT_EQ(store.segments(), 2U);
}

// Of each segment three pages are left, which are too few for a row of four.
TEST_F(PageStoreTest, RowsAreFoundBehindManySegmentsWithoutOne) {
  constexpr unsigned kRows = 15, kSegments = 60, kFreed = 20;
  std::vector<HeldRow> rows;
  for (unsigned i = 0; i < kRows * kSegments; ++i) rows.push_back(allocate(4));
  EXPECT_EQ(store.segments(), kSegments);
  for (unsigned i = 0; i < kRows * kFreed; ++i)
    if (i % kRows != 0) release(rows[i]); // one stays, and so the segment
  trim();
  for (unsigned i = 0; i < (kRows - 1) * kFreed; ++i) allocate(4);
  EXPECT_LE(store.segments(), kSegments + 3);
}

// Rows of random lengths are taken, resized and freed; each holds its own pattern, so that an overlap shows, and
// what is said to be clean must read as zero.
TEST_F(PageStoreTest, RowsKeepApartThroughRandomChanges) {
  struct Filled {
    HeldRow row;
    uint64_t key;

    bool holds() const { return support::holds(row.memory(), row.bytes(), key); }
  };
  support::Random random(5);
  std::vector<Filled> filled;
  size_t pages = 0;
  for (uint64_t step = 0; step < 1000; ++step) {
    const auto length = static_cast<unsigned>(random.size_up_to(kMost));
    if (pages < 250 && random.below(2) != 0) {
      const HeldRow row = allocate(length, 1U << random.below(5));
      if (row.is_clean) {
        ASSERT_TRUE(row.reads_as_zero()) << "in step " << step;
      }
      support::fill(row.memory(), row.bytes(), step);
      filled.push_back({row, step});
      pages += length;
    } else if (!filled.empty()) {
      const size_t index = random.below(filled.size());
      Filled &one = filled[index];
      ASSERT_TRUE(one.holds()) << "in step " << step;
      pages -= one.row.pages;
      if (random.below(3) == 0 && resize(one.row, length)) {
        support::fill(one.row.memory(), one.row.bytes(), one.key);
        pages += length;
      } else {
        release(one.row);
        filled.erase(filled.begin() + static_cast<ptrdiff_t>(index));
      }
    }
    if (step % 100 == 0) trim();
  }
  for (const Filled &one : filled) EXPECT_TRUE(one.holds());
}

} // namespace
} // namespace abut::heap
