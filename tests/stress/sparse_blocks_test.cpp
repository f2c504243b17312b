// Long blocks of which the program uses little: the rest is no memory.
#include "support/opaque.hpp"
#include "support/pattern.hpp"
#include "support/process_memory.hpp"
#include "support/units.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

using support::MiB;
using support::opaque;

namespace {

constexpr size_t kPage = 4096;

TEST(SparseBlocks, StaySoHoweverOftenCallocHandsThemOut) {
  const size_t before = support::resident_bytes();
  for (int round = 0; round < 20; ++round) {
    auto *block = static_cast<char *>(opaque(std::calloc(200 * MiB, 1)));
    ASSERT_NE(block, nullptr);
    for (size_t at = 0; at < 200 * MiB; at += 4 * MiB) {
      ASSERT_EQ(block[at], 0);
      ASSERT_EQ(block[at + 2 * kPage], 0);
      block[at] = 1;
    }
    EXPECT_LT(support::resident_bytes() - before, 4 * MiB) << round;
    std::free(block);
  }
}

TEST(SparseBlocks, ReadAsZeroWhereAllWasUsedBefore) {
  for (int round = 0; round < 20; ++round) {
    auto *block = static_cast<char *>(opaque(std::calloc(9 * MiB + 100, 1)));
    ASSERT_NE(block, nullptr);
    ASSERT_TRUE(support::all_zero(block, 9 * MiB + 100));
    std::memset(block, 0x5a, round % 2 == 0 ? 9 * MiB + 100 : 3 * MiB);
    std::free(block);
  }
}

TEST(SparseBlocks, WhatReallocMakesShorterGivesBackTheRest) {
  for (const size_t bytes : {1 * MiB, 64 * MiB}) {
    auto *block = static_cast<char *>(std::malloc(16 * bytes));
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, 16 * bytes);
    const size_t before = support::resident_bytes();
    block = static_cast<char *>(opaque(std::realloc(block, 10 * bytes)));
    EXPECT_LT(support::resident_bytes() + 5 * bytes, before);
    EXPECT_EQ(block[10 * bytes - 1], 1);
    std::free(block);
  }
}

} // namespace
