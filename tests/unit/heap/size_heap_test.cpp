// Small blocks in size order: where they lie, when their pages go back, and which frees are refused.
#include "heap/events.hpp"
#include "heap/found.hpp"
#include "heap/heap.hpp"
#include "heap/page_store.hpp"
#include "helpers/heap_calls.hpp"
#include "helpers/residency.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

constexpr size_t kPages = kBlockPageBytes / kPageBytes;
constexpr const char *kFreedBefore = "this block has been freed before";
constexpr const char *kNotABlock = "no block begins at this address";

// Blocks of one size; the first of them lie in birth order, and are not among `blocks`.
class SizeHeapTest : public testing::TestWithParam<size_t> {
protected:
  void SetUp() override {
    for (int i = 0; i < 128; ++i) first_.push_back(allocate(GetParam()));
  }
  ~SizeHeapTest() override {
    for (void *block : first_) free(block);
    for (void *block : blocks) free(block);
    trim();
  }

  void take(size_t bytes) {
    for (size_t taken = 0; taken < bytes; taken += class_bytes(size_class(GetParam())))
      blocks.push_back(allocate(GetParam()));
  }
  void free_all() {
    for (void *block : blocks) free(block);
    blocks.clear();
  }

  // Of a large class, one page or a long one.
  static size_t current_pages() {
    return long_pages(static_cast<uint32_t>(GetParam())) == LongPages::never ? kPages
                                                                             : kLongPage * kPages;
  }

  std::vector<void *> blocks;

private:
  std::vector<void *> first_;
};

INSTANTIATE_TEST_SUITE_P(Sizes, SizeHeapTest, testing::Values(1, 16, 48, 100, 112, 272, 512, 768));

TEST_P(SizeHeapTest, FreshMemoryAscendsWithoutGaps) {
  take(MiB);
  size_t gaps = 0;
  const size_t each = usable_size("test", blocks[0]);
  for (size_t i = 1; i < blocks.size(); ++i)
    gaps += address_of(blocks[i]) != address_of(blocks[i - 1]) + each;
  EXPECT_LE(gaps, blocks.size() * each / (kBlockPageBytes / 2) + 2) << "but for the ends of pages";
}

TEST_P(SizeHeapTest, WhatDiesYoungComesFromTheSameFewLines) {
  std::set<Address> lines;
  for (int i = 0; i < 100'000; ++i) {
    void *block = allocate(GetParam());
    lines.insert(address_of(block) / kLineBytes);
    free(block);
  }
  EXPECT_LE(lines.size(), 24 * KiB / kLineBytes) << "of the first cache";
}

// A cursor has 64 blocks.
TEST_P(SizeHeapTest, WhatDiesYoungWhileTheHeapGrowsComesFromNeighbouringLines) {
  take(MiB);
  std::set<Address> lines;
  for (int i = 0; i < 3200; ++i) {
    void *young[8];
    for (void *&block : young) block = allocate(GetParam());
    for (void *block : young) {
      lines.insert(address_of(block) / kLineBytes);
      free(block);
    }
    if (i % 100 == 0) blocks.push_back(allocate(GetParam()));
  }
  const size_t each = usable_size("test", blocks[0]);
  EXPECT_LE(lines.size(), 3 * 64 * each / kLineBytes + 4);
}

TEST_P(SizeHeapTest, WhatIsLeftBetweenOldBlocksIsHandedOutInOrder) {
  take(MiB);
  std::vector<void *> kept;
  for (size_t i = 0; i < blocks.size(); ++i)
    if (i % 2 == 0)
      kept.push_back(blocks[i]);
    else
      free(blocks[i]);
  blocks = kept;
  const size_t before = pages_taken.value();
  size_t ascending = 0;
  const size_t count = kept.size() * 3 / 4;
  for (size_t i = 0; i < count; ++i) {
    blocks.push_back(allocate(GetParam()));
    ascending += address_of(blocks.back()) > address_of(*(blocks.end() - 2));
  }
  EXPECT_GT(ascending, count * 9 / 10);
  EXPECT_LE(pages_taken.value(), before + kPages) << "no page more than the current one";
}

TEST_P(SizeHeapTest, PagesWithoutABlockGoBack) {
  const size_t before = pages_taken.value();
  take(4 * MiB);
  EXPECT_GE(pages_taken.value(), before + 4 * MiB / kPageBytes);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1)); // NOLINT: the same each time
  free_all();
  EXPECT_LE(pages_taken.value(), before + current_pages());
}

TEST_P(SizeHeapTest, NothingIsStrandedWhereTheOwnerSleeps) {
  const size_t before = pages_taken.value();
  take(4 * MiB);
  std::thread([this] { free_all(); }).join();
  trim();
  EXPECT_LE(pages_taken.value(), before + 4 * kPages);
}

TEST_P(SizeHeapTest, WhatOthersFreedWhileTheOwnerSleptIsUsedAgain) {
  take(MiB);
  std::vector<void *> kept, others;
  for (size_t i = 0; i < blocks.size(); ++i) (i % 4 == 0 ? kept : others).push_back(blocks[i]);
  std::thread([&] {
    for (void *block : others) free(block);
    trim();
  }).join();
  blocks = kept;
  const size_t before = pages_taken.value();
  for (size_t i = 0; i < others.size() * 3 / 4; ++i) blocks.push_back(allocate(GetParam()));
  EXPECT_LE(pages_taken.value(), before + 2 * kPages);
}

TEST_P(SizeHeapTest, WhereAnEighthWasFreedIsRoom) {
  take(8 * MiB);
  std::vector<void *> kept;
  for (size_t i = 0; i < blocks.size(); ++i)
    if (i % 7 == 0)
      free(blocks[i]);
    else
      kept.push_back(blocks[i]);
  const size_t freed = blocks.size() - kept.size();
  blocks = kept;
  const size_t before = pages_taken.value();
  for (size_t i = 0; i < freed * 3 / 4; ++i) blocks.push_back(allocate(GetParam()));
  EXPECT_LE(pages_taken.value(), before + current_pages());
}

// Whoever frees counts first, and then changes the state.
TEST_P(SizeHeapTest, APageStaysWhileAnotherThreadIsAboutToFree) {
  take(4 * MiB);
  void *last = blocks[blocks.size() / 2];
  blocks.erase(std::find(blocks.begin(), blocks.end(), last));
  --PageSegment::page_of(address_of(last)).frees_left;
  free_all();
  EXPECT_NE(owner_of(last), nullptr);
  trim(); // which counts again
  EXPECT_NE(owner_of(last), nullptr);
  free(last);
}

// A long page is too much for a thread that has few blocks.
TEST(SizeHeap, PagesAreLongOnceTheClassIsLarge) {
  const auto has_long = [](size_t bytes, size_t in_all) {
    std::vector<void *> blocks;
    while (blocks.size() * bytes < in_all) blocks.push_back(allocate(bytes));
    const bool is_long = page_at(address_of(blocks.back()))->is_long;
    for (void *block : blocks) free(block);
    return is_long;
  };
  const auto try_each = [&] {
    EXPECT_FALSE(has_long(512, 512 * KiB));
    EXPECT_TRUE(has_long(512, 4 * MiB));
    EXPECT_TRUE(has_long(512, 64 * KiB)) << "it has been large";
    EXPECT_FALSE(has_long(128, 4 * MiB));
  };
  for (int i = 0; i < 2; ++i) std::thread(try_each).join();
}

class SizeHeapDeathTest : public SizeHeapTest {};
INSTANTIATE_TEST_SUITE_P(Sizes, SizeHeapDeathTest, testing::Values(1, 48, 512, 768));

TEST_P(SizeHeapDeathTest, EveryDoubleFreeIsNoticed) {
  take(4 * MiB); // so that some lie in long pages
  void *block = blocks[blocks.size() / 2];
  EXPECT_DEATH(
      {
        free(block);
        free(block);
      },
      kFreedBefore);
  EXPECT_DEATH(
      {
        for (size_t i = blocks.size() / 4; i < blocks.size(); ++i) free(blocks[i]);
        free(block);
      },
      "freed before|no block begins");
  EXPECT_DEATH(
      {
        free(block);
        *static_cast<void **>(block) = nullptr; // and the program writes to it
        free(block);
      },
      kFreedBefore);
}

TEST_P(SizeHeapDeathTest, ADoubleFreeByTwoThreadsIsNoticed) {
  take(4 * MiB); // so that some lie in long pages
  void *block = blocks[blocks.size() / 2];
  EXPECT_DEATH(
      {
        std::thread([=] { free(block); }).join();
        free(block);
      },
      kFreedBefore);
  EXPECT_DEATH(
      {
        free(block);
        std::thread([=] { free(block); }).join();
      },
      kFreedBefore);
  EXPECT_DEATH(
      {
        for (int i = 0; i < 2; ++i) std::thread([=] { free(block); }).join();
      },
      kFreedBefore);
}

TEST_P(SizeHeapDeathTest, AnAddressInsideABlockIsNoBlock) {
  take(4 * MiB); // so that some lie in long pages
  char *block = static_cast<char *>(blocks[blocks.size() / 2]);
  for (size_t offset = 1; offset < usable_size("test", block); offset += 7)
    EXPECT_DEATH(free(block + offset), kNotABlock) << offset;
}

TEST_P(SizeHeapDeathTest, OfWhatWasNeverHandedOutNoFreeIsAlleged) {
  take(4 * MiB);
  char *last = static_cast<char *>(blocks.back());
  const size_t bytes = usable_size("test", last);
  const size_t left = kBlockPageBytes - address_of(last) % kBlockPageBytes;
  for (size_t behind = bytes; behind < left; behind += (left / bytes + 7) / 8 * bytes)
    EXPECT_DEATH(free(last + behind), "not a live block|no block begins") << behind;
}
TEST_P(SizeHeapDeathTest, EachCallWithAFreedBlockSaysThatItWasFreed) {
  take(4 * MiB);
  void *block = blocks[blocks.size() / 2];
  free(block);
  EXPECT_DEATH(free(block), std::string("free\\(0x\\w+\\): ") + kFreedBefore);
  EXPECT_DEATH(resize("realloc", block, 5000), std::string("realloc\\(0x\\w+\\): ") + kFreedBefore);
  EXPECT_DEATH(usable_size("malloc_usable_size", block), kFreedBefore);
  blocks[blocks.size() / 2] = allocate(GetParam());
}
// What a thread has not handed out when it ends is no block that was freed.
TEST_P(SizeHeapDeathTest, OfAnEndedThreadsHeapNoMoreIsSaidThanIsKnown) {
  std::thread([&] { take(100 * GetParam()); }).join();
  char *block = static_cast<char *>(blocks.back());
  EXPECT_DEATH(free(block + usable_size("test", block)), "not a live block|no block begins");
  EXPECT_DEATH(
      {
        free(block);
        free(block);
      },
      "not a live block|freed before");
}

int refills = 0;

// Counts refills as long as it is there.
struct CountedRefills {
  CountedRefills() {
    refills = 0;
    events.refilled.set_listener([] { ++refills; });
  }
  ~CountedRefills() { events.refilled.set_listener(before); }
  CountedRefills(const CountedRefills &) = delete;
  CountedRefills &operator=(const CountedRefills &) = delete;

  void (*const before)() = events.refilled.listener();
};

TEST_P(SizeHeapTest, RefillsAreReportedAsRequestsCome) {
  const CountedRefills counted;
  const auto take_two = [] {
    void *first = allocate(GetParam());
    free(allocate(GetParam()));
    free(first);
  };
  for (int i = 0; i < 2; ++i) take_two();
  EXPECT_LE(refills, 1);
  for (int i = 0; i < 64 * 1024; ++i) take_two();
  EXPECT_GE(refills, 8);
}

// Within a page the cursor goes on without the lock, whoever asks: operator new and calloc come here.
TEST(SizeHeap, FewBlocksNeedARefill) {
  std::vector<void *> blocks;
  const auto take = [&](int count) {
    while (count-- > 0) blocks.push_back(allocate(48));
  };
  take(1024);
  const CountedRefills counted;
  take(64 * 64);
  EXPECT_LT(refills, 24);
  while (refills < 24) take(1);
  for (void *block : blocks) free(block);
}

} // namespace
} // namespace abut::heap
