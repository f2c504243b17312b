#include "placement/friends/run.hpp"

#include "heap/heap.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <mutex>

namespace abut::near {
namespace {

constexpr unsigned kCellSize = 2; // granules
constexpr size_t kCellBytes = kCellSize * heap::Granules::kBytes;
constexpr unsigned kCells = 8;

struct RunTest : testing::Test {
  Address cell(unsigned index) const { return page + index * kCellBytes; }
  bool is_reserved(unsigned index) const { return is_reserved_at(*heap, cell(index), kCellSize); }

  ~RunTest() override {
    heap::release_slow("free", first);
    std::lock_guard guard(heap->lock());
    for (unsigned i = 0; i < kPageBytes / kCellBytes; ++i)
      if (is_reserved(i)) heap->births.give_up_cell(cell(i));
    above(*heap).set_aside = aside_before;
  }

  // A thread has no heap of its own before its first request.
  void *const first = heap::allocate(kCellBytes);
  heap::LocalHeap *const heap = heap::current;
  const size_t aside_before = above(*heap).set_aside;
  const Address page = cut();

private:
  Address cut() const {
    const Address stretch = heap->births.cut_stretch(kCellSize, 1);
    for (Address at = stretch; at < stretch + kPageBytes; at += kCellBytes)
      *heap::cell_at(at) = heap::kReserved + kCellSize;
    above(*heap).set_aside += kPageBytes;
    return stretch;
  }
};

TEST_F(RunTest, ReservedCellsAreHandedOutOnce) {
  for (unsigned i = 0; i < kCells; ++i) {
    ASSERT_TRUE(is_reserved(i));
    const size_t aside = above(*heap).set_aside;
    EXPECT_EQ(take_reserved(*heap, cell(i), kCellSize), reinterpret_cast<void *>(cell(i)));
    EXPECT_EQ(above(*heap).set_aside, aside - kCellBytes);
    EXPECT_FALSE(is_reserved(i)) << "a cell that was handed out is no longer reserved";
    heap::release_slow("free", reinterpret_cast<void *>(cell(i)));
    EXPECT_FALSE(is_reserved(i)) << "nor does one that is free";
  }
}

TEST_F(RunTest, AReservedCellIsNoBlock) {
  EXPECT_DEATH(heap::release_slow("free", reinterpret_cast<void *>(cell(0))), "freed|no block");
}

TEST_F(RunTest, ACellIsReservedForOneSizeOnly) {
  for (unsigned size = 1; size <= 16; ++size)
    EXPECT_EQ(is_reserved_at(*heap, cell(0), size), size == kCellSize) << size;
}

TEST_F(RunTest, ACellIsReservedInItsOwnHeap) {
  static heap::LocalHeap other;
  other.open(heap->number() + 1, false);
  EXPECT_FALSE(is_reserved_at(other, cell(0), kCellSize));
  EXPECT_FALSE(is_reserved_at(heap::no_heap_yet, cell(0), kCellSize));
}

TEST_F(RunTest, NothingIsReservedInTheMiddleOfACell) {
  EXPECT_FALSE(is_reserved_at(*heap, cell(0) + heap::Granules::kBytes, kCellSize));
  EXPECT_FALSE(is_reserved_at(*heap, cell(0) + 1, kCellSize));
}

TEST_F(RunTest, ACellDoesNotGrowIntoWhatWillBeCut) {
  const unsigned last = kPageBytes / kCellBytes - 1;
  void *block = take_reserved(*heap, cell(last), kCellSize);
  void *grown = heap::resize("realloc", block, 3 * kCellBytes).memory;
  EXPECT_NE(grown, block);
  heap::release_slow("free", grown);
}

TEST_F(RunTest, NothingIsReservedOutsideTheHeap) {
  int here = 0;
  for (const Address address :
       {Address{0}, Address{1}, reinterpret_cast<Address>(&here) / 16 * 16, ~Address{15}})
    EXPECT_FALSE(is_reserved_at(*heap, address, kCellSize)) << address;
}

TEST_F(RunTest, WhatAProgramWritesChangesNothing) {
  take_reserved(*heap, cell(0), kCellSize);
  std::memset(reinterpret_cast<void *>(cell(0)), 0xff, kCellBytes);
  EXPECT_FALSE(is_reserved(0));
  EXPECT_TRUE(is_reserved(1));
  heap::release_slow("free", reinterpret_cast<void *>(cell(0)));
}

} // namespace
} // namespace abut::near
