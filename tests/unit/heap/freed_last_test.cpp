// Medium blocks: what was freed last comes first.
#include "heap/current.hpp"
#include "heap/heap.hpp"

#include "helpers/heap_calls.hpp"
#include "helpers/residency.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <thread>
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

// Of blocks that are few in a page, in pages of which all are live, where the cursor has none left.
class FullPagesTest : public testing::Test {
protected:
  static constexpr size_t kBytes = 20'000;

  void SetUp() override {
    current->close(); // so that the class begins with a page of its own
    while (pages.size() < 4) {
      blocks.push_back(allocate(kBytes));
      pages.insert(page_of(blocks.back()));
    }
    while (void *block = allocate_if_medium(kBytes)) blocks.push_back(block);
  }
  ~FullPagesTest() override {
    for (void *block : blocks) free(block);
  }

  static Page *page_of(const void *block) { return page_at(address_of(block)); }
  // One that is not its page's first, in a page that the cursor has left.
  void *take_out_one() {
    for (size_t i = 0; i < blocks.size(); ++i) {
      const Page *page = page_of(blocks[i]);
      if (page->is_current || page->begin == address_of(blocks[i])) continue;
      void *block = blocks[i];
      blocks.erase(blocks.begin() + static_cast<ptrdiff_t>(i));
      return block;
    }
    return nullptr;
  }

  std::set<Page *> pages;
  std::vector<void *> blocks;
};

TEST_F(FullPagesTest, TheNextBlockIsTheOneThatWasFreedLastInAnotherPage) {
  for (int i = 0; i < 10; ++i) {
    void *block = take_out_one();
    ASSERT_NE(block, nullptr);
    current->has_taken_over();
    free(block);
    EXPECT_TRUE(current->has_taken_over());
    blocks.push_back(allocate_if_medium(kBytes));
    EXPECT_EQ(blocks.back(), block);
  }
}

TEST_F(FullPagesTest, ItReadsAsZeroIfAskedFor) {
  void *block = take_out_one();
  std::memset(block, 0xa5, kBytes);
  free(block);
  auto *zeroed = static_cast<char *>(allocate_zeroed(kBytes));
  blocks.push_back(zeroed);
  EXPECT_EQ(zeroed, block);
  EXPECT_EQ(std::count(zeroed, zeroed + kBytes, 0), kBytes);
}

TEST_F(FullPagesTest, ItsPageStaysThoughAllElseInItIsFreed) {
  void *block = take_out_one();
  Page *page = page_of(block);
  free(block); // the cursor has it
  const auto rest = std::partition(blocks.begin(), blocks.end(),
                                   [&](const void *one) { return page_of(one) != page; });
  std::thread([&] { std::for_each(rest, blocks.end(), [](void *one) { free(one); }); }).join();
  blocks.erase(rest, blocks.end());
  heap_registry.each([](LocalHeap &heap) { heap.trim(); });
  blocks.push_back(allocate_if_medium(kBytes));
  EXPECT_EQ(page_of(blocks.back()), page) << "the block, or the one below, which is free, too";
  EXPECT_EQ(page->owner, current);
}

// The owner may write to it at any time.
TEST_F(FullPagesTest, ItsPageIsNotThinnedOut) {
  for (void *block : blocks) test::touch(block, kBytes);
  void *block = take_out_one();
  Page *page = page_of(block);
  free(block); // the cursor has it
  bool is_first = true;
  const auto rest = std::partition(blocks.begin(), blocks.end(), [&](const void *one) {
    return page_of(one) != page || std::exchange(is_first, false);
  });
  std::thread([&] { std::for_each(rest, blocks.end(), [](void *one) { free(one); }); }).join();
  blocks.erase(rest, blocks.end());
  const size_t before = test::resident_pages(page->begin, page->pages() * kBlockPageBytes);
  heap_registry.each([](LocalHeap &heap) { heap.trim(); });
  EXPECT_EQ(test::resident_pages(page->begin, page->pages() * kBlockPageBytes), before);
  EXPECT_GE(before, kBytes / kPageBytes);
}

TEST_F(FullPagesTest, ItsPageGoesBackWithTheHeap) {
  void *block = take_out_one();
  Page *page = page_of(block);
  free(block);
  const auto rest = std::partition(blocks.begin(), blocks.end(),
                                   [&](const void *one) { return page_of(one) != page; });
  std::for_each(rest, blocks.end(), [](void *one) { free(one); });
  blocks.erase(rest, blocks.end());
  current->close();
  EXPECT_EQ(page->owner, nullptr);
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
