#include "near/run.hpp"

#include "heap/heap.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace abut::near {
namespace {

constexpr unsigned kSize = 2; // granules
constexpr size_t kCellBytes = kSize * heap::Granules::kBytes;
constexpr unsigned kCells = 8;

struct RunTest : testing::Test {
  Address cell(unsigned index) const { return page + index * kCellBytes; }
  bool waits(unsigned index) const { return waits_at(cell(index), kSize, small.tag()); }

  ~RunTest() override {
    for (unsigned i = 0; i < kCells; ++i) wait_no_more(cell(i));
  }

  heap::SmallHeap &small = heap::current->small;
  const Address page = small.cut_page(kSize, 1);
};

TEST_F(RunTest, CellsThatWaitAreHandedOutOnce) {
  begin_to_wait(cell(1), kSize, 3);
  EXPECT_FALSE(waits(0));
  for (unsigned i = 1; i <= 3; ++i) {
    ASSERT_TRUE(waits(i));
    wait_no_more(cell(i));
    EXPECT_EQ(hand_out(cell(i)), reinterpret_cast<void *>(cell(i)));
    EXPECT_FALSE(waits(i)) << "a cell that was handed out does not wait";
  }
  EXPECT_FALSE(waits(4)) << "the run has ended";
}

TEST_F(RunTest, ACellWaitsForOneSizeOnly) {
  begin_to_wait(cell(0), kSize, 4);
  for (unsigned size = 1; size <= 16; ++size)
    EXPECT_EQ(waits_at(cell(0), size, small.tag()), size == kSize) << size;
}

TEST_F(RunTest, ACellWaitsForItsOwnHeap) {
  begin_to_wait(cell(0), kSize, 4);
  EXPECT_FALSE(waits_at(cell(0), kSize, small.tag() + 4));
}

TEST_F(RunTest, NothingWaitsInTheMiddleOfACell) {
  begin_to_wait(cell(0), kSize, 4);
  EXPECT_FALSE(waits_at(cell(0) + heap::Granules::kBytes, kSize, small.tag()));
}

TEST_F(RunTest, WhatAProgramWritesChangesNothing) {
  begin_to_wait(cell(0), kSize, 1);
  std::memset(reinterpret_cast<void *>(cell(0)), 0xff, 2 * kCellBytes);
  EXPECT_TRUE(waits(0));
  EXPECT_FALSE(waits(1));
}

} // namespace
} // namespace abut::near
