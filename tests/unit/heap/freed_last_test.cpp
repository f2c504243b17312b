// Medium blocks: what was freed last comes first.
#include "heap/current.hpp"
#include "heap/heap.hpp"

#include "helpers/heap_calls.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace abut::heap {
namespace {

// Though the heap grows meanwhile: what was freed last may still be in the caches.
class MediumBlocksTest : public testing::TestWithParam<size_t> {
protected:
  void SetUp() override { // beyond the first page
    for (size_t taken = 0; taken < MiB; taken += GetParam()) blocks.push_back(allocate(GetParam()));
  }
  ~MediumBlocksTest() override {
    for (void *block : blocks) free(block);
  }

  // As malloc does.
  static void *allocate_hot() {
    void *block = allocate_if_medium(GetParam());
    return block != nullptr ? block : allocate(GetParam());
  }

  std::vector<void *> blocks;
};
INSTANTIATE_TEST_SUITE_P(Sizes, MediumBlocksTest, testing::Values(1100, 3000, 20000));

TEST_P(MediumBlocksTest, WhatWasFreedLastComesFirst) {
  int reused = 0;
  for (int i = 0; i < 1000; ++i) {
    void *block = allocate_hot();
    free(block);
    void *next = allocate_hot();
    reused += next == block;
    if (i % 100 == 0)
      blocks.push_back(next);
    else
      free(next);
  }
  EXPECT_GE(reused, 900);
}

// Whoever records blocks must know when one may have been another thread's.
TEST_P(MediumBlocksTest, WhatIsAskedForFromTheCursorIsNotWhatWasFreedSince) {
  for (int i = 0; i < 1000; ++i) {
    void *block = allocate(GetParam());
    current->has_taken_over();
    free(block);
    void *next = allocate(GetParam());
    EXPECT_TRUE(next != block || current->has_taken_over());
    free(next);
  }
}

TEST_P(MediumBlocksTest, WhatComesFirstReadsAsZeroIfAskedFor) {
  for (int i = 0; i < 100; ++i) {
    void *block = allocate_hot();
    std::memset(block, 0xa5, GetParam());
    free(block);
    auto *zeroed = static_cast<char *>(allocate_zeroed(GetParam()));
    EXPECT_EQ(std::count(zeroed, zeroed + GetParam(), 0), GetParam());
    blocks.push_back(zeroed);
  }
}

// What a size has once had is used again before more memory is.
TEST(MediumBlocks, ComeFromWhatWasFreed) {
  std::vector<void *> blocks(40);
  for (void *&block : blocks) block = allocate(4000);
  std::set<void *> freed;
  for (int i = 8; i < 20; i += 2) {
    freed.insert(blocks[i]);
    free(std::exchange(blocks[i], nullptr));
  }
  for (int i = 0; i < 8; ++i) { // two at the cursor first
    blocks.push_back(allocate(4000));
    freed.erase(blocks.back());
  }
  EXPECT_TRUE(freed.empty());
  for (void *block : blocks)
    if (block != nullptr) free(block);
}

} // namespace
} // namespace abut::heap
