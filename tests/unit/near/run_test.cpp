#include "near/run.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace abut::near {
namespace {

constexpr unsigned kSize = 2; // granules
constexpr size_t kCellBytes = kSize * 16;

struct RunTest : testing::Test {
  Address cell(unsigned index) const {
    return reinterpret_cast<Address>(memory) + index * kCellBytes;
  }

  alignas(64) char memory[8 * kCellBytes]{};
  const Marker marker{0x5eed5eed5eed5eed};
};

TEST_F(RunTest, CellsAreHandedOutOneAfterTheOther) {
  marker.put(cell(0), kSize, 3);
  for (unsigned i = 0; i < 3; ++i) {
    ASSERT_EQ(marker.waiting_at(cell(i), kSize), 3 - i);
    EXPECT_EQ(marker.take(cell(i), kSize, 3 - i), reinterpret_cast<void *>(cell(i)));
    EXPECT_EQ(marker.waiting_at(cell(i), kSize), 0U) << "a cell that was handed out does not wait";
  }
  EXPECT_EQ(marker.waiting_at(cell(3), kSize), 0U) << "the run has ended";
}

TEST_F(RunTest, ACellWaitsForOneSizeOnly) {
  marker.put(cell(0), kSize, 4);
  for (unsigned size = 1; size <= 16; ++size)
    EXPECT_EQ(marker.waiting_at(cell(0), size), size == kSize ? 4U : 0U) << size;
}

TEST_F(RunTest, ACopyOfAMarkerIsNone) {
  marker.put(cell(0), kSize, 4);
  std::memcpy(memory + kCellBytes, memory, kCellBytes);
  EXPECT_EQ(marker.waiting_at(cell(1), kSize), 0U);
}

TEST_F(RunTest, AnotherHeapsMarkerIsNone) {
  marker.put(cell(0), kSize, 4);
  EXPECT_EQ(Marker(0x5eed5eed5eed5eed + 1).waiting_at(cell(0), kSize), 0U);
}

TEST_F(RunTest, WhatAProgramWritesIsNoMarker) {
  for (const uint64_t word :
       {uint64_t{0}, ~uint64_t{0}, uint64_t{1}, uint64_t{cell(0)}, uint64_t{cell(1)}}) {
    std::memcpy(memory, &word, sizeof word);
    EXPECT_EQ(marker.waiting_at(cell(0), kSize), 0U) << word;
  }
}

} // namespace
} // namespace abut::near
