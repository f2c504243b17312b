#include "heap/tiny_heap.hpp"

#include "helpers/residency.hpp"
#include "support/random.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace abut::heap {
namespace {

Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }
bool is_taken(const void *cell) { return is_taken_cell(Segment::of(cell), address_of(cell)); }

class TinyHeapTest : public testing::Test {
protected:
  TinyHeapTest() {
    heap.open(nullptr, 0x7f00 | static_cast<uint32_t>(Tier::tiny), os::random_number());
  }
  ~TinyHeapTest() override {
    for (void *cell : held) free(cell);
    heap.close();
    EXPECT_EQ(pages_taken.value(), taken_before);
  }

  void *take() {
    void *cell = heap.pop();
    return cell ? cell : heap.refill();
  }

  std::vector<void *> take_many(size_t count) {
    for (size_t i = 0; i < count; ++i) held.push_back(take());
    return held;
  }

  void free(void *cell) {
    if (!heap.push(static_cast<Block *>(cell))) heap.spill();
  }

  TinyHeap heap;
  std::vector<void *> held;
  const size_t taken_before = pages_taken.value();
};

TEST_F(TinyHeapTest, CellsAreEightBytesSideBySide) {
  const std::vector<void *> cells = take_many(kCellsInPage * 3 / 4);
  for (size_t i = 1; i < cells.size(); ++i)
    ASSERT_EQ(address_of(cells[i]), address_of(cells[i - 1]) + 8) << "cell " << i;
}

TEST_F(TinyHeapTest, NoCellIsHandedOutTwice) {
  const std::vector<void *> cells = take_many(20000);
  EXPECT_EQ(std::set<void *>(cells.begin(), cells.end()).size(), cells.size());
  for (const void *cell : cells) ASSERT_TRUE(is_taken(cell));
}

TEST_F(TinyHeapTest, AFreedCellIsTheNext) {
  const std::vector<void *> cells = take_many(3);
  held.pop_back();
  free(cells.back());
  held.push_back(take());
  EXPECT_EQ(held.back(), cells.back());
}

TEST_F(TinyHeapTest, CellsOfAnEmptiedPageAreUsedAgain) {
  const std::vector<void *> cells = take_many(10 * kPagesInUnit * kCellsInPage);
  const size_t full = pages_taken.value();
  held.clear();
  for (size_t i = 0; i < cells.size(); ++i)
    if (i % (kPagesInUnit * kCellsInPage) == 0)
      held.push_back(cells[i]); // one stays in every span
    else
      free(cells[i]);
  heap.close();
  take_many(8 * kPagesInUnit * kCellsInPage);
  EXPECT_LE(pages_taken.value(), full);
}

TEST_F(TinyHeapTest, SpansWithoutACellGoBack) {
  const std::vector<void *> cells = take_many(8 * kPagesInUnit * kCellsInPage);
  EXPECT_GE(pages_taken.value(), taken_before + 8 * kPagesInUnit);
  held.clear();
  for (void *cell : cells) free(cell);
  EXPECT_LE(pages_taken.value(), taken_before + 2 * kPagesInUnit);
}

TEST_F(TinyHeapTest, EmptyPagesOfSpansInUseGoBackAtTheSecondLook) {
  const std::vector<void *> cells = take_many(kPagesInUnit * kCellsInPage);
  const Address span = round_down(address_of(cells.front()), kUnitBytes);
  for (void *cell : cells) std::memset(cell, 1, kTinyMax);
  held = {cells.front()};
  for (size_t i = 1; i < cells.size(); ++i) heap.give_back(static_cast<Block *>(cells[i]));
  for (int look = 0; look < 2; ++look) heap.decay(~0U);
  EXPECT_EQ(test::resident_pages(span, kUnitBytes), 1U);
}

TEST_F(TinyHeapTest, ACellThatIsNotThereCannotBeGivenBack) {
  take_many(1);
  heap.close(); // the cells of the bin are not taken any more
  auto *untaken = reinterpret_cast<Block *>(address_of(held.front()) + kTinyMax);
  EXPECT_FALSE(is_taken(untaken));
  EXPECT_DEATH(heap.give_back(untaken), "free\\(0x[0-9a-f]+\\): ");
}

TEST_F(TinyHeapTest, CellsKeepTheirContentsThroughRandomChanges) {
  support::Random random(7);
  std::vector<uint64_t *> cells;
  for (int step = 0; step < 100000; ++step) {
    const bool grow = step / 20000 % 2 == 0;
    if (cells.empty() || random.below(10) < (grow ? 7U : 3U)) {
      cells.push_back(static_cast<uint64_t *>(take()));
      *cells.back() = ~address_of(cells.back());
    } else {
      uint64_t *&cell = cells[random.below(cells.size())];
      ASSERT_EQ(*cell, ~address_of(cell)) << "step " << step;
      random.below(8) == 0 ? heap.give_back(reinterpret_cast<Block *>(cell)) : free(cell);
      cell = cells.back();
      cells.pop_back();
    }
  }
  for (uint64_t *cell : cells) {
    EXPECT_EQ(*cell, ~address_of(cell));
    free(cell);
  }
}

} // namespace
} // namespace abut::heap
