// When free pages go back to the kernel, and what is known of those that stay; and what goes back of pages in use.
#include "heap/current.hpp"
#include "heap/heap.hpp"
#include "heap/local_heap.hpp"

#include "helpers/heap_calls.hpp"
#include "helpers/page_store_fixture.hpp"

#include <utility>

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

TEST_F(PageReturn, ASegmentOfWhichNothingWasWrittenToHoldsUpNoOther) {
  allocate(kMost);
  const HeldRow row = take_row(store, {3});
  store.give_back(row.page, 3, kPageBytes);
  ASSERT_EQ(allocate(1).page, row.page) << "nothing of the other two is resident";
  release(allocate_and_touch(kMost)); // in the next segment
  EXPECT_EQ(trim(), kMost * kOwn);
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

// Blocks of one size, of which few are left live: one in 64 KiB.
class ThinnedPages : public testing::TestWithParam<size_t> {
protected:
  static constexpr size_t kAll = 4 * MiB;

  void SetUp() override {
    current->close(); // so that the class begins with a page of its own
    while (blocks.size() < kAll / GetParam()) {
      blocks.push_back(allocate(GetParam()));
      support::fill(blocks.back(), GetParam(), address_of(blocks.back()));
    }
  }
  ~ThinnedPages() override {
    for (void *block : blocks)
      if (block != nullptr) free(block);
    heap::trim();
  }

  // Frees all but one in so many.
  void free_all_but(size_t one_in) {
    for (size_t i = 0; i < blocks.size(); ++i)
      if (void *&block = blocks[i]; i % one_in != 0 && block != nullptr)
        free(std::exchange(block, nullptr));
  }
  void free_most() { free_all_but(kPart / GetParam()); }

  // Of the pages that the live blocks are in.
  size_t resident() const {
    size_t resident = 0;
    const Page *last = nullptr;
    for (const void *block : blocks) {
      const Page *page = block != nullptr ? page_at(address_of(block)) : last;
      if (page == last) continue;
      last = page;
      resident += test::resident_pages(page->begin, page->pages() * kBlockPageBytes) * kPageBytes;
    }
    return resident;
  }

  static bool look(uint64_t idle_since, uint64_t to_thin_out = ~uint64_t{0}) {
    std::lock_guard guard(current->lock());
    return current->sizes.look_at_pages({~uint64_t{0}, to_thin_out, idle_since});
  }
  static bool look_at_all() { return look(~uint64_t{0}); }

  bool live_ones_hold() const {
    return std::ranges::all_of(blocks, [](const void *block) {
      return block == nullptr || support::holds(block, GetParam(), address_of(block));
    });
  }

  static constexpr size_t kPart = 64 * KiB;
  std::vector<void *> blocks;
};
INSTANTIATE_TEST_SUITE_P(Sizes, ThinnedPages, testing::Values(208, 1008, 3000, 9000));

TEST_P(ThinnedPages, GoBackButForTheirLiveBlocks) {
  free_most();
  EXPECT_GT(resident(), kAll / 8 * 7);
  look_at_all();
  EXPECT_LT(resident(), kAll / 2) << "a block of 9,000 bytes has up to four 4 KiB";
  EXPECT_TRUE(live_ones_hold());
}

TEST_P(ThinnedPages, StayUntilTheirTimeHasCome) {
  const uint64_t before = current->now();
  free_most();
  const size_t all = resident();
  look(before - 1);
  EXPECT_EQ(resident(), all);
  look(current->now());
  EXPECT_LT(resident(), all / 2);
}

TEST_P(ThinnedPages, GoBackSoManyAtATime) {
  free_most();
  const size_t all = resident();
  EXPECT_TRUE(look(~uint64_t{0}, 1));
  EXPECT_GE(resident(), all - kLongPage * kBlockPageBytes);
  EXPECT_LT(resident(), all);
  EXPECT_FALSE(look_at_all());
  EXPECT_LT(resident(), all / 2);
  EXPECT_FALSE(look(~uint64_t{0}, 1)) << "none that was thinned out is so again";
}

TEST_P(ThinnedPages, StayWhereTooLittleWouldGoBack) {
  free_all_but(2);
  const size_t all = resident();
  look_at_all();
  EXPECT_EQ(resident(), all);
  free_most();
  look_at_all();
  EXPECT_LT(resident(), all / 2) << "more is free than when they were looked at";
}

TEST_P(ThinnedPages, AreAllocatedFromAgain) {
  free_most();
  look_at_all();
  const size_t thin = resident();
  size_t in_old_pages = 0;
  for (void *&block : blocks) {
    if (block != nullptr) continue;
    const Page *before = page_at(address_of(*std::prev(&block)));
    block = allocate_zeroed(GetParam());
    in_old_pages += page_at(address_of(block)) == before;
    ASSERT_TRUE(support::all_zero(block, GetParam()));
    support::fill(block, GetParam(), address_of(block));
  }
  EXPECT_TRUE(live_ones_hold());
  EXPECT_GT(in_old_pages, blocks.size() / 2);
  EXPECT_GT(resident(), thin * 2);
}

TEST_P(ThinnedPages, AreTrimmedAtOnce) {
  free_most();
  heap::trim();
  EXPECT_LT(resident(), kAll / 2);
  EXPECT_TRUE(live_ones_hold());
}

} // namespace
} // namespace abut::heap
