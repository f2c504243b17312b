// Each of the heap's own checks, on tables that were made wrong on purpose.
#include "heap/invariants.hpp"

#include <gtest/gtest.h>

namespace abut::heap {
namespace {

using namespace invariants;

class InvariantsDeath : public testing::Test {
protected:
  InvariantsDeath() : page(pages.take_fresh(nullptr, static_cast<uint32_t>(Tier::small))) {
    map().add({0, 4});
    pages.put(page, {kGranulesInPage - 4, kGranulesInPage - 4});
  }
  ~InvariantsDeath() override {
    map().each_block([this](Range block) { map().remove(block); });
    pages.put_empty(page);
  }
  SmallMap &map() { return page.segment->lines[page.page]; }

  OpenPages pages{1};
  OpenPage page;
};

TEST_F(InvariantsDeath, WholeTablesPass) {
  check_small_page(page);
  check_segment(*page.segment);
}

TEST_F(InvariantsDeath, ABinThatCountsWrong) {
  Bin bin;
  bin.open(16);
  check_bin(bin);
  --bin.room;
  EXPECT_DEATH(check_bin(bin), "a bin does not hold as many blocks as it says");
}

TEST_F(InvariantsDeath, ABlockWithoutAnEnd) {
  EXPECT_DEATH(
      {
        map().add({10, 5});
        map().remove({10, 2}); // its beginning goes, its end stays
        check_small_page(page);
      },
      "a beginning without an end, or an end without a beginning");
}

TEST_F(InvariantsDeath, AHoleThatIsLongerThanItsSpanSays) {
  EXPECT_DEATH(
      {
        page.span->room[page.index()] = 3;
        check_small_page(page);
      },
      "a longer hole than its span says");
}

TEST_F(InvariantsDeath, APageThatIsSaidToBeEmpty) {
  EXPECT_DEATH(
      {
        page.span->empty |= static_cast<uint16_t>(1U << page.index());
        check_small_page(page);
      },
      "not as empty as its span says");
}

TEST_F(InvariantsDeath, APageInUseThatIsSaidToBeFree) {
  EXPECT_DEATH(
      {
        page.segment->dirty[page.page / 64] |= uint64_t{1} << (page.page % 64);
        check_segment(*page.segment);
      },
      "a page in use is said to be free and dirty");
}

TEST_F(InvariantsDeath, AMiscountOfDirtyPages) {
  EXPECT_DEATH(
      {
        ++page.segment->dirty_pages;
        check_segment(*page.segment);
      },
      "as many dirty pages as it says");
}

} // namespace
} // namespace abut::heap
