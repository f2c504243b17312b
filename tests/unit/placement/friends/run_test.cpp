#include "placement/friends/run.hpp"

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
  bool waits(unsigned index) const { return waits_at(*heap, cell(index), kSize); }

  ~RunTest() override {
    heap::release_slow("free", first);
    for (unsigned i = 0; i < kCells; ++i) wait_no_more(cell(i));
  }

  // A thread has no heap of its own before its first request.
  void *const first = heap::allocate(kCellBytes);
  heap::LocalHeap *const heap = heap::current;
  const Address page = heap->small.cut_page(kSize, 1);
};

TEST_F(RunTest, CellsThatWaitAreHandedOutOnce) {
  begin_to_wait(cell(1), kSize, 3);
  EXPECT_FALSE(waits(0));
  for (unsigned i = 1; i <= 3; ++i) {
    ASSERT_TRUE(waits(i));
    const size_t aside = heap->set_aside;
    EXPECT_EQ(take_waiting(*heap, cell(i), kSize), reinterpret_cast<void *>(cell(i)));
    EXPECT_EQ(heap->set_aside, aside - kCellBytes);
    EXPECT_FALSE(waits(i)) << "a cell that was handed out does not wait";
  }
  EXPECT_FALSE(waits(4)) << "the run has ended";
}

TEST_F(RunTest, ACellWaitsForOneSizeOnly) {
  begin_to_wait(cell(0), kSize, 4);
  for (unsigned size = 1; size <= 16; ++size)
    EXPECT_EQ(waits_at(*heap, cell(0), size), size == kSize) << size;
}

TEST_F(RunTest, ACellWaitsForItsOwnHeap) {
  begin_to_wait(cell(0), kSize, 4);
  static heap::LocalHeap other;
  other.open(heap->number() + 1, 0);
  EXPECT_FALSE(waits_at(other, cell(0), kSize));
  EXPECT_FALSE(waits_at(heap::no_heap_yet, cell(0), kSize));
}

TEST_F(RunTest, NothingWaitsInTheMiddleOfACell) {
  begin_to_wait(cell(0), kSize, 4);
  EXPECT_FALSE(waits_at(*heap, cell(0) + heap::Granules::kBytes, kSize));
  EXPECT_FALSE(waits_at(*heap, cell(0) + 1, kSize));
}

TEST_F(RunTest, NothingWaitsOutsideTheHeap) {
  int here = 0;
  for (const Address address :
       {Address{0}, kNoCell, reinterpret_cast<Address>(&here) / 16 * 16, ~Address{15}})
    EXPECT_FALSE(waits_at(*heap, address, kSize)) << address;
}

TEST_F(RunTest, WhatAProgramWritesChangesNothing) {
  begin_to_wait(cell(0), kSize, 1);
  std::memset(reinterpret_cast<void *>(cell(0)), 0xff, 2 * kCellBytes);
  EXPECT_TRUE(waits(0));
  EXPECT_FALSE(waits(1));
}

} // namespace
} // namespace abut::near
