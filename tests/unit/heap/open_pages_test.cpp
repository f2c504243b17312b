// Each test has open pages of its own on the process's page runs.
#include "heap/open_pages.hpp"

#include "helpers/option_setting.hpp"
#include "helpers/residency.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace abut::heap {
namespace {

constexpr uint32_t kTag = 0x7f00 | static_cast<uint32_t>(Tier::small);

class OpenPagesTest : public testing::Test {
protected:
  void TearDown() override {
    for (const OpenPage &page : held_) pages.put_empty(page);
    EXPECT_FALSE(pages.take_used(1))
        << "the pages of empty spans are not open: the spans went back";
    EXPECT_EQ(pages_taken.value(), taken_before);
  }

  OpenPage take_fresh() {
    const OpenPage page = pages.take_fresh(owner(), kTag);
    EXPECT_TRUE(page);
    held_.push_back(page);
    return page;
  }

  std::vector<OpenPage> take_fresh_span() {
    std::vector<OpenPage> span;
    for (unsigned i = 0; i < kPagesInUnit; ++i) span.push_back(take_fresh());
    return span;
  }

  // The page holds blocks, but nobody fills it any more and it has one hole.
  void put(const OpenPage &page, uint32_t hole) { pages.put(page, {hole, hole}); }

  void put_empty(const OpenPage &page) {
    std::erase_if(held_, [&](const OpenPage &one) { return address(one) == address(page); });
    pages.put_empty(page);
  }

  // Takes an emptied page into use again.
  OpenPage take_emptied() {
    const OpenPage page = pages.take_used(kWholePage);
    EXPECT_TRUE(page);
    held_.push_back(page);
    return page;
  }

  static Address address(const OpenPage &page) { return page.segment->page_address(page.page); }
  static size_t resident(const OpenPage &page) {
    return test::resident_pages(address(page), kPageBytes);
  }
  static void touch(const OpenPage &page) {
    test::touch(reinterpret_cast<void *>(address(page)), kPageBytes);
  }
  LocalHeap *owner() { return reinterpret_cast<LocalHeap *>(this); } // only ever compared

  static constexpr uint32_t kWholePage = kSmallClasses; // the longest request that there is
  static constexpr uint32_t kWorthFilling = 16;
  OpenPages pages{kWorthFilling};
  const size_t taken_before = pages_taken.value();

  const std::vector<OpenPage> &held() const { return held_; }

private:
  std::vector<OpenPage> held_;
};

TEST_F(OpenPagesTest, FreshPagesComeInOrderSideBySide) {
  const std::vector<OpenPage> span = take_fresh_span();
  for (size_t i = 0; i < span.size(); ++i) {
    EXPECT_EQ(address(span[i]), address(span[0]) + i * kPageBytes);
    EXPECT_EQ(span[i].span, span[0].span);
    EXPECT_EQ(span[i].index(), i);
  }
  EXPECT_NE(take_fresh().span, span[0].span) << "the seventeenth page is of another span";
}

TEST_F(OpenPagesTest, SpansCarryTheirOwnerAndTag) {
  const OpenPage page = take_fresh();
  EXPECT_EQ(page.segment->tag_at(address(page)), kTag);
  EXPECT_EQ(page.segment->span_at(address(page)).owner, owner());
  EXPECT_EQ(&page.segment->span_at(address(page)), page.span);
}

TEST_F(OpenPagesTest, NoPageIsUsedUntilOneGetsRoom) {
  const OpenPage page = take_fresh();
  EXPECT_FALSE(pages.take_used(1));
  put(page, 100);
  const OpenPage used = pages.take_used(1);
  ASSERT_TRUE(used);
  EXPECT_EQ(address(used), address(page));
  EXPECT_FALSE(pages.take_used(1)) << "somebody fills it now";
}

TEST_F(OpenPagesTest, APageIsHandedOutOnceHoweverOftenItGotRoom) {
  const OpenPage page = take_fresh();
  for (uint32_t hole : {40U, 50U, 60U}) put(page, hole);
  EXPECT_TRUE(pages.take_used(1));
  EXPECT_FALSE(pages.take_used(1));
}

TEST_F(OpenPagesTest, APageIsNotHandedOutForMoreThanItTakes) {
  for (uint32_t hole : {17U, 20U, 31U, 32U}) {
    const OpenPage page = take_fresh();
    put(page, hole);
    EXPECT_FALSE(pages.take_used(hole + 1)) << hole;
    EXPECT_EQ(address(pages.take_used(hole)), address(page)) << hole;
  }
}

TEST_F(OpenPagesTest, PagesWithJustEnoughRoomComeFirst) {
  const std::vector<OpenPage> roomy = take_fresh_span();
  const std::vector<OpenPage> tight = take_fresh_span();
  put(roomy[0], 200);
  put(tight[0], 20);
  EXPECT_EQ(address(pages.take_used(17)), address(tight[0]));
  EXPECT_EQ(address(pages.take_used(17)), address(roomy[0]));
}

TEST_F(OpenPagesTest, OfEqualSpansTheOneThatGotRoomFirstComesFirstAndItsPagesFromLowToHigh) {
  const std::vector<OpenPage> older = take_fresh_span();
  const std::vector<OpenPage> newer = take_fresh_span();
  for (const OpenPage &page : {newer[3], older[7], newer[1], older[2]}) put(page, 100);
  for (const OpenPage &page : {newer[1], newer[3], older[2], older[7]})
    EXPECT_EQ(address(pages.take_used(32)), address(page));
}

TEST_F(OpenPagesTest, RoomAddsUpAsBlocksGo) {
  const OpenPage page = take_fresh();
  put(page, 1);
  EXPECT_FALSE(pages.take_used(1)) << "so little is not worth filling";
  for (uint32_t free = 1; free < kWorthFilling; free += 4) pages.add_room(page, 4, 4);
  EXPECT_FALSE(pages.take_used(5)) << "no hole is longer than four";
  pages.add_room(page, 4, 12);
  EXPECT_EQ(address(pages.take_used(12)), address(page));
}

TEST_F(OpenPagesTest, AnEmptyPageIsUsedAgain) {
  const std::vector<OpenPage> span = take_fresh_span();
  put_empty(span[5]);
  EXPECT_EQ(address(take_emptied()), address(span[5]));
}

TEST_F(OpenPagesTest, ASpanGoesBackWithItsLastBlock) {
  const std::vector<OpenPage> span = take_fresh_span();
  EXPECT_EQ(pages_taken.value(), taken_before + kPagesInUnit);
  for (const OpenPage &page : span) put_empty(page);
  EXPECT_EQ(pages_taken.value(), taken_before);
  EXPECT_FALSE(pages.take_used(1));
}

TEST_F(OpenPagesTest, ASpanGoesBackThoughSomeOfItsPagesWereNeverUsed) {
  const OpenPage first = take_fresh();
  const OpenPage second = take_fresh();
  put_empty(second);
  EXPECT_EQ(pages_taken.value(), taken_before + kPagesInUnit);
  put_empty(first);
  EXPECT_EQ(pages_taken.value(), taken_before);
  EXPECT_TRUE(take_fresh()) << "a new span is begun after the newest one went back";
}

TEST_F(OpenPagesTest, EmptyPagesGoBackAtTheSecondLook) {
  const std::vector<OpenPage> span = take_fresh_span();
  for (const OpenPage &page : span) touch(page);
  for (size_t i : {size_t{2}, size_t{3}, size_t{9}}) put_empty(span[i]);
  put(span[6], 100);
  pages.decay(~0U);
  EXPECT_EQ(resident(span[2]), 1U) << "it may be wanted again at once";
  pages.decay(~0U);
  for (size_t i = 0; i < span.size(); ++i)
    EXPECT_EQ(resident(span[i]), i == 2 || i == 3 || i == 9 ? 0U : 1U) << "page " << i;
}

TEST_F(OpenPagesTest, APageThatWasUsedBetweenTheLooksStays) {
  const std::vector<OpenPage> span = take_fresh_span();
  touch(span[4]);
  put_empty(span[4]);
  pages.decay(~0U);
  const OpenPage again = take_emptied();
  ASSERT_EQ(address(again), address(span[4]));
  pages.decay(~0U);
  EXPECT_EQ(resident(again), 1U) << "it holds blocks";
  put_empty(again);
  pages.decay(~0U);
  EXPECT_EQ(resident(again), 1U) << "its time begins anew";
  pages.decay(~0U);
  EXPECT_EQ(resident(again), 0U);
}

TEST_F(OpenPagesTest, PagesThatWentBackGoBackAgainAfterTheirNextUse) {
  const std::vector<OpenPage> span = take_fresh_span();
  touch(span[4]);
  put_empty(span[4]);
  for (int i = 0; i < 2; ++i) pages.decay(~0U);
  const OpenPage again = take_emptied();
  ASSERT_EQ(address(again), address(span[4]));
  touch(again);
  put_empty(again);
  for (int i = 0; i < 2; ++i) pages.decay(~0U);
  EXPECT_EQ(resident(again), 0U);
}

TEST_F(OpenPagesTest, EmptyPagesThatPileUpGoBackAtOnce) {
  constexpr size_t kSpans = 128;
  size_t still_resident = 0;
  for (size_t i = 0; i < kSpans; ++i) {
    const std::vector<OpenPage> span = take_fresh_span();
    for (const OpenPage &page : span) touch(page);
    for (size_t j = 1; j < span.size(); ++j) put_empty(span[j]); // one stays in use
  }
  for (const OpenPage &page : held())
    still_resident += test::resident_pages(round_down(address(page), kUnitBytes), kUnitBytes);
  EXPECT_LE(still_resident, kSpans + kSpans * kPagesInUnit / 2) << "without a single look";
}

TEST_F(OpenPagesTest, ALookIsBounded) {
  const std::vector<OpenPage> first = take_fresh_span();
  const std::vector<OpenPage> second = take_fresh_span();
  for (const OpenPage &page : {first[0], second[0]}) {
    touch(page);
    put_empty(page);
  }
  for (int i = 0; i < 2; ++i) pages.decay(1);
  EXPECT_EQ(resident(first[0]) + resident(second[0]), 1U);
  for (int i = 0; i < 2; ++i) pages.decay(2);
  EXPECT_EQ(resident(first[0]) + resident(second[0]), 0U);
}

} // namespace
} // namespace abut::heap
