// A cursor on a fresh page, or on one that the test has laid out with blocks.
#include "heap/hole_cursor.hpp"

#include "helpers/print_range.hpp"

#include <gtest/gtest.h>
#include <set>

namespace abut::heap {
namespace {

class HoleCursorTest : public testing::Test {
protected:
  HoleCursorTest() : page(pages.take_fresh(nullptr, static_cast<uint32_t>(Tier::small))) {}
  ~HoleCursorTest() override {
    map().each_block([this](Range block) { map().remove(block); });
    pages.put_empty(page);
  }

  SmallMap &map() const { return page.segment->lines[page.page]; }
  Address granule(unsigned at) const {
    return page.segment->page_address(page.page) + at * Granules::kBytes;
  }
  unsigned place(const void *block) const {
    return granule_in_page(reinterpret_cast<Address>(block));
  }

  // Lays out blocks so that exactly the given holes are left.
  void leave_holes(std::initializer_list<Range> holes) {
    uint32_t end = 0;
    for (Range hole : holes) {
      if (hole.first > end) map().add({end, hole.first - end});
      end = hole.end();
    }
    if (end < kGranulesInPage) map().add({end, kGranulesInPage - end});
  }

  void enter() {
    cursor.enter(page);
    ASSERT_TRUE(cursor.seek(1));
  }

  OpenPages pages{1};
  OpenPage page;
  HoleCursor cursor;
};

TEST_F(HoleCursorTest, GivesNothingWithoutAPage) {
  EXPECT_FALSE(cursor.page());
  EXPECT_EQ(cursor.bump(1), nullptr);
  EXPECT_FALSE(cursor.seek(1));
  EXPECT_FALSE(cursor.leave());
}

TEST_F(HoleCursorTest, LaysBlocksOfAnySizeSideBySide) {
  enter();
  unsigned expected = 0;
  for (unsigned size : {2U, 7U, 1U, 32U, 3U, 16U}) {
    void *block = cursor.bump(size);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<Address>(block), granule(expected));
    EXPECT_TRUE(map().begins_at(expected));
    EXPECT_EQ(map().length_at(expected), size);
    expected += size;
  }
}

TEST_F(HoleCursorTest, FillsThePageToItsLastGranule) {
  enter();
  ASSERT_NE(cursor.bump(kGranulesInPage - 1), nullptr);
  EXPECT_EQ(cursor.bump(2), nullptr);
  EXPECT_NE(cursor.bump(1), nullptr);
  EXPECT_EQ(cursor.bump(1), nullptr);
  EXPECT_FALSE(cursor.seek(1));
  EXPECT_TRUE(map().valid());
  EXPECT_EQ(map().blocks(), 2U);
}

TEST_F(HoleCursorTest, WipesTheMarkOfFreeBlocks) {
  auto *memory = reinterpret_cast<Block *>(granule(0));
  memory->mark = 0x1234567;
  enter();
  EXPECT_EQ(static_cast<Block *>(cursor.bump(2))->mark, 0U);
}

TEST_F(HoleCursorTest, GoesFromHoleToHoleThatFits) {
  leave_holes({{10, 8}, {40, 3}, {60, 30}, {200, 56}});
  enter();
  ASSERT_TRUE(cursor.seek(4));
  EXPECT_EQ(place(cursor.bump(4)), 10U);
  ASSERT_TRUE(cursor.seek(4)) << "the hole has as much left";
  EXPECT_EQ(place(cursor.bump(3)), 14U);
  ASSERT_TRUE(cursor.seek(6)) << "the hole of three is passed over";
  EXPECT_EQ(place(cursor.bump(6)), 60U);
  ASSERT_TRUE(cursor.seek(56));
  EXPECT_EQ(place(cursor.bump(56)), 200U);
  EXPECT_FALSE(cursor.seek(1)) << "that was the last";
}

TEST_F(HoleCursorTest, StaysWhereItIsWhenNoHoleFits) {
  leave_holes({{10, 8}, {60, 30}});
  enter();
  EXPECT_FALSE(cursor.seek(31));
  EXPECT_EQ(place(cursor.bump(8)), 10U);
}

TEST_F(HoleCursorTest, BeginsAtTheFirstHoleThatFits) {
  leave_holes({{10, 8}, {60, 30}, {120, 30}});
  cursor.enter(page);
  ASSERT_TRUE(cursor.seek(20));
  EXPECT_EQ(place(cursor.bump(20)), 60U);
}

TEST_F(HoleCursorTest, HasAPageThatIsFullAllTheSame) {
  map().add({0, kGranulesInPage});
  cursor.enter(page);
  EXPECT_FALSE(cursor.seek(1));
  EXPECT_EQ(cursor.bump(1), nullptr);
  EXPECT_EQ(cursor.leave().page, page.page);
}

TEST_F(HoleCursorTest, NeverTakesWhatABlockCovers) {
  leave_holes({{10, 8}, {40, 3}, {60, 30}, {200, 56}});
  const uint32_t laid_out = map().blocks();
  cursor.enter(page);
  uint32_t taken = 0;
  while (cursor.seek(3)) {
    ASSERT_NE(cursor.bump(3), nullptr);
    ASSERT_TRUE(map().valid());
    ++taken;
  }
  EXPECT_EQ(taken, 8U / 3 + 3U / 3 + 30U / 3 + 56U / 3);
  EXPECT_EQ(map().blocks(), laid_out + taken);
}

TEST_F(HoleCursorTest, AlignsTheNextBlock) {
  enter();
  for (size_t align : {16U, 32U, 64U}) {
    ASSERT_NE(cursor.bump(1), nullptr);
    cursor.align_to(align);
    EXPECT_EQ(reinterpret_cast<Address>(cursor.bump(1)) % align, 0U);
  }
  EXPECT_TRUE(map().valid());
}

TEST_F(HoleCursorTest, MakesTheLatestBlockLongerAndShorter) {
  leave_holes({{10, 20}});
  enter();
  void *first = cursor.bump(4);
  void *latest = cursor.bump(4);
  const auto address = reinterpret_cast<Address>(latest);
  EXPECT_FALSE(cursor.extend_latest(reinterpret_cast<Address>(first), 4, 5)) << "not the latest";
  EXPECT_FALSE(cursor.extend_latest(address, 4, 17)) << "the hole ends before";
  ASSERT_TRUE(cursor.extend_latest(address, 4, 16));
  EXPECT_EQ(map().length_at(14), 16U);
  EXPECT_EQ(cursor.bump(1), nullptr);
  ASSERT_TRUE(cursor.extend_latest(address, 16, 2));
  EXPECT_EQ(map().length_at(14), 2U);
  EXPECT_EQ(place(cursor.bump(14)), 16U) << "what the block gave up is used";
  EXPECT_TRUE(map().valid());
}

TEST_F(HoleCursorTest, ForgetsThePageThatItLeaves) {
  enter();
  EXPECT_TRUE(cursor.fills(granule(0)));
  EXPECT_TRUE(cursor.fills(granule(kGranulesInPage - 1) + 15));
  EXPECT_FALSE(cursor.fills(granule(kGranulesInPage)));
  EXPECT_FALSE(cursor.fills(granule(0) - 1));
  EXPECT_EQ(cursor.leave().page, page.page);
  EXPECT_FALSE(cursor.fills(granule(0)));
  EXPECT_EQ(cursor.bump(1), nullptr);
  EXPECT_FALSE(cursor.leave());
}

} // namespace
} // namespace abut::heap
