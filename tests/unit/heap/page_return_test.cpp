// When free pages go back to the kernel, and what is known of those that stay.
#include "helpers/page_store_fixture.hpp"

namespace abut::heap {
namespace {

class PageReturn : public PageStoreFixture {
protected:
  // A page in use keeps the segment, so that its free pages can be looked at.
  void SetUp() override { allocate(1); }

  HeldRow allocate_and_touch(unsigned pages) {
    const HeldRow row = allocate(pages);
    row.touch();
    return row;
  }
};

TEST_F(PageReturn, FreePagesStayResidentWithinTheAllowance) {
  const HeldRow row = allocate_and_touch(10);
  release(row);
  EXPECT_EQ(row.resident(), 10 * kOwn);
  EXPECT_EQ(free_resident(), 10 * kOwn);
  const HeldRow again = allocate(10);
  EXPECT_EQ(again.page, row.page);
  EXPECT_FALSE(again.is_clean);
  EXPECT_EQ(free_resident(), 0U);
}

TEST_F(PageReturn, WhatWasNotWrittenToDoesNotCount) {
  const HeldRow row = take_row(store, {3});
  test::touch(row.memory(), kBlockPageBytes + 2 * kPageBytes);
  store.give_back(row.page, 3, kBlockPageBytes + 2 * kPageBytes);
  EXPECT_EQ(free_resident(), kOwn + 2);
}

TEST_F(PageReturn, FreePagesAboveTheAllowanceGoBackAtOnce) {
  retain.set(0);
  const HeldRow row = allocate_and_touch(10);
  release(row);
  EXPECT_EQ(row.resident(), 0U);
  EXPECT_EQ(free_resident(), 0U);
}

TEST_F(PageReturn, AllowanceGrowsWithWhatIsInUse) {
  retain.set(0);
  const HeldRow kept = allocate_and_touch(32);
  const HeldRow small = allocate_and_touch(1);
  release(small);
  EXPECT_EQ(small.resident(), kOwn) << "one free page is little beside 32 in use";
  const HeldRow large = allocate_and_touch(20);
  release(large);
  EXPECT_EQ(large.resident(), 0U) << "20 free pages are much";
  EXPECT_EQ(kept.resident(), 32 * kOwn);
}

TEST_F(PageReturn, FreePagesGoBackWhenTheirTimeHasCome) {
  const HeldRow row = allocate_and_touch(10);
  release(row);
  const uint64_t now = os::coarse_milliseconds();
  EXPECT_EQ(give_back_before(now - 1), 0U);
  EXPECT_EQ(row.resident(), 10 * kOwn) << "they were freed later";
  EXPECT_EQ(give_back_before(now + 1000), 10 * kOwn);
  EXPECT_EQ(row.resident(), 0U);
  EXPECT_EQ(free_resident(), 0U);
}

TEST_F(PageReturn, PagesInUseStay) {
  const HeldRow before = allocate(2);
  const HeldRow gone = allocate_and_touch(2);
  const HeldRow after = allocate(2);
  for (const HeldRow &row : {before, after}) support::fill(row.memory(), row.bytes(), row.index());
  release(gone);
  trim();
  EXPECT_EQ(gone.resident(), 0U);
  for (const HeldRow &row : {before, after})
    EXPECT_TRUE(support::holds(row.memory(), row.bytes(), row.index()));
}

TEST_F(PageReturn, RowsApartGoBackTogether) {
  const HeldRow first = allocate_and_touch(10);
  allocate(1);
  const HeldRow second = allocate_and_touch(5);
  release(first);
  release(second);
  EXPECT_EQ(trim(), 15 * kOwn);
  EXPECT_EQ(first.resident(), 0U);
  EXPECT_EQ(second.resident(), 0U);
  EXPECT_EQ(trim(), 0U);
}

TEST_F(PageReturn, SegmentsWithoutAPageInUseAreUnmapped) {
  const size_t mapped = segment_map.mapped_bytes();
  const size_t before = store.segments();
  std::vector<HeldRow> large;
  for (int i = 0; i < 8; ++i) large.push_back(allocate_and_touch(kMost));
  EXPECT_GT(store.segments(), before + 3);
  for (const HeldRow &row : large) release(row);
  trim();
  EXPECT_EQ(store.segments(), before);
  EXPECT_LE(segment_map.mapped_bytes(), mapped + kSegmentBytes) << "the first one's own";
  EXPECT_FALSE(test::is_mapped(large.back().memory()));
}

TEST_F(PageReturn, PagesThatWentBackAreClean) {
  const HeldRow row = allocate(10);
  support::fill(row.memory(), row.bytes(), 1);
  release(row);
  trim();
  const HeldRow again = allocate(10);
  EXPECT_EQ(again.page, row.page);
  EXPECT_TRUE(again.is_clean);
  EXPECT_TRUE(again.reads_as_zero());
}

TEST_F(PageReturn, TheTailOfAShrunkRowIsDirty) {
  HeldRow row = allocate_and_touch(20);
  allocate(1);
  ASSERT_TRUE(resize(row, 8));
  EXPECT_EQ(free_resident(), 12 * kOwn);
  EXPECT_FALSE(allocate(12).is_clean);
}

TEST_F(PageReturn, WhatAShrunkRowHadWrittenGoesBackWithIt) {
  const HeldRow row = take_row(store, {2});
  row.touch();
  store.shorten(row.page, 2, 1, row.bytes());
  store.give_back(row.page, 1, kPageBytes); // as if no more had been written to
  EXPECT_EQ(free_resident(), 2 * kOwn);
  trim();
  EXPECT_TRUE(row.reads_as_zero());
}

TEST_F(PageReturn, PagesThatARowGrowsIntoAreNoLongerFree) {
  HeldRow row = allocate_and_touch(5);
  const HeldRow gap = allocate_and_touch(10);
  allocate(1);
  release(gap);
  ASSERT_TRUE(resize(row, 15));
  EXPECT_EQ(free_resident(), 0U);
  row.touch();
  EXPECT_EQ(trim(), 0U);
  EXPECT_EQ(row.resident(), 15 * kOwn);
}

} // namespace
} // namespace abut::heap
