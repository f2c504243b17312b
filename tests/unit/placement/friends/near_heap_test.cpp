#include "placement/friends/near_heap.hpp"

#include "base/options.hpp"
#include "heap/current.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace abut::near {
namespace {

using Where = NearHeap::Where;

constexpr size_t kBytes = 32;
constexpr unsigned kSize = kBytes / 16;

Address address_of(const void *block) { return reinterpret_cast<Address>(block); }

// A heap of the test's own: the thread's heap, emptied of what is reserved when the test ends.
class NearHeapTest : public testing::Test {
protected:
  NearHeapTest() {
    fill(64); // so that the heap exists
    near_heap = near_heap_of(heap::current);
  }

  ~NearHeapTest() override {
    for (void *block : held) release(block);
    std::lock_guard guard(heap::current->lock());
    near_heap->give_back(true);
  }

  static void release(void *block) {
    if (!heap::release(block)) heap::release_slow("free", block);
  }

  void *take(size_t bytes) {
    held.push_back(heap::allocate(bytes));
    return held.back();
  }

  // Other blocks, so that what was allocated before is far from where the heap fills.
  void fill(size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) take(64);
  }

  void *place(const void *beside, Where expected) {
    const auto placed = near_heap->place(address_of(beside), kSize);
    EXPECT_EQ(placed.where, expected);
    if (placed.block != nullptr) held.push_back(placed.block);
    return placed.block;
  }

  // A block whose neighbourhood is full, far from where the heap fills.
  void *old_block() {
    void *block = take(kBytes);
    fill(64 * KiB);
    return block;
  }

  NearHeap *near_heap = nullptr;
  std::vector<void *> held;
};

TEST_F(NearHeapTest, AChainGrowsFromCellToCell) {
  void *last = place(old_block(), Where::run);
  size_t abut = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto placed = near_heap->place(address_of(last), kSize);
    ASSERT_NE(placed.block, nullptr);
    held.push_back(placed.block);
    std::memset(placed.block, 0x55, kBytes);
    abut += address_of(placed.block) == address_of(last) + kBytes;
    last = placed.block;
  }
  EXPECT_GT(abut, 950U) << "runs double, so that a chain of a thousand has few of them";
}

TEST_F(NearHeapTest, NoTwoObjectsShareACell) {
  std::vector<void *> tails;
  for (int i = 0; i < 20; ++i) tails.push_back(take(kBytes));
  fill(64 * KiB);
  std::set<Address> taken;
  for (void *block : held) taken.insert(address_of(block));
  for (int round = 0; round < 200; ++round)
    for (void *&tail : tails) {
      const auto placed = near_heap->place(address_of(tail), kSize);
      void *block = placed.block != nullptr ? placed.block : heap::allocate(kBytes);
      held.push_back(block);
      ASSERT_TRUE(taken.insert(address_of(block)).second);
      ASSERT_EQ(heap::usable_size("test", block), kBytes);
      tail = block;
    }
}

TEST_F(NearHeapTest, AFriendThatIsNoBlockOfTheHeapIsNone) {
  int variable = 0;
  place(&variable, Where::not_ours);
  void *large = heap::allocate(8 * MiB);
  place(large, Where::not_ours);
  release(large);
}

TEST_F(NearHeapTest, AHoleBesideTheFriendIsFilledFirst) {
  std::vector<void *> blocks;
  for (int i = 0; i < 12288; ++i) blocks.push_back(heap::current->allocate_in_birth_order(kBytes));
  fill(64 * KiB);
  for (size_t i = 0; i < blocks.size(); i += 2) release(blocks[i]);
  void *friend_block = blocks[2049];
  const auto placed = near_heap->place(address_of(friend_block), kSize);
  EXPECT_EQ(placed.where, Where::hole);
  EXPECT_EQ(address_of(placed.block) / kLineBytes, address_of(friend_block) / kLineBytes);
  if (placed.block != nullptr) release(placed.block);
  for (size_t i = 1; i < blocks.size(); i += 2) release(blocks[i]);
}

TEST_F(NearHeapTest, FriendsOfAnotherSizeGetNoRuns) {
  void *other = take(96);
  fill(64 * KiB);
  place(other, Where::nowhere);
}

// Of the 85 cells of 48 bytes that a page has, most lengths of runs leave some over.
TEST_F(NearHeapTest, ThePagesOfRunsHaveNoHoles) {
  constexpr unsigned kOddSize = 3;
  std::vector<void *> friends;
  for (int i = 0; i < 400; ++i) friends.push_back(take(kOddSize * heap::Granules::kBytes));
  fill(64 * KiB);
  size_t runs = 0, holes = 0;
  for (int round = 0; round < 50; ++round)
    for (void *&last : friends) {
      const auto placed = near_heap->place(address_of(last), kOddSize);
      if (placed.block == nullptr) continue;
      runs += placed.where == Where::run;
      holes += placed.where == Where::hole;
      held.push_back(last = placed.block);
    }
  EXPECT_GT(runs, 1000U);
  EXPECT_LT(holes, runs / 50) << "but for the odd cell of a page";
}

class EndOfRun : public NearHeapTest {
protected:
  // The last cell of a run, and of a page if so said.
  const void *end_of_run(bool of_page) {
    for (const void *last = old_block();;) {
      void *next = near_heap->take_reserved(address_of(last) + kBytes, kSize);
      if (next == nullptr && (address_of(last) + kBytes) % kPageBytes == 0 && of_page) return last;
      if (next == nullptr && !of_page && opened_ > 2) return last;
      if (next == nullptr) {
        const auto placed = near_heap->place(address_of(last), kSize);
        opened_ += placed.where == Where::run;
        next = placed.block;
      }
      held.push_back(next);
      last = next;
    }
  }
  unsigned opened_ = 0;
};

TEST_F(EndOfRun, IsFollowedByAnother) {
  for (const bool of_page : {false, true}) {
    const auto placed = near_heap->place(address_of(end_of_run(of_page)), kSize);
    EXPECT_EQ(placed.where, Where::run);
    if (placed.block != nullptr) held.push_back(placed.block);
  }
}

TEST_F(NearHeapTest, WhatIsReservedIsBounded) {
  std::vector<void *> friends;
  for (int i = 0; i < 40'000; ++i) friends.push_back(take(kBytes));
  fill(64 * KiB);
  size_t runs = 0, refused = 0;
  for (void *one : friends) {
    const auto placed = near_heap->place(address_of(one), kSize);
    runs += placed.where == Where::run;
    refused += placed.where == Where::over_budget;
    if (placed.block != nullptr) held.push_back(placed.block);
  }
  EXPECT_GT(runs, 1000U);
  EXPECT_GT(refused, 1000U);
  EXPECT_LE(above(*heap::current).set_aside, heap::current->held_bytes() / 10 + 512 * KiB);
}

TEST_F(NearHeapTest, WhatIsReservedOnPagesWithoutUseGoesBack) {
  const void *last = old_block();
  std::vector<void *> chain;
  for (int i = 0; i < 5000; ++i) {
    const auto placed = near_heap->place(address_of(last), kSize);
    if (placed.block == nullptr) break;
    chain.push_back(placed.block);
    last = placed.block;
  }
  ASSERT_GT(above(*heap::current).set_aside, 0U);
  for (void *block : chain) release(block);
  std::lock_guard guard(heap::current->lock());
  near_heap->give_back(true);
  EXPECT_LE(above(*heap::current).set_aside, 16 * kPageBytes)
      << "but for the pages that runs are cut from";
}

// It takes reserved cells without a lock.
TEST_F(NearHeapTest, WhatIsReservedIsGivenBackByTheOwnerAlone) {
  std::vector<void *> tails, chained;
  for (int i = 0; i < 500; ++i) tails.push_back(take(kBytes));
  fill(64 * KiB);
  for (int round = 0; round < 40; ++round)
    for (void *&tail : tails)
      if (void *block = near_heap->place(address_of(tail), kSize).block)
        chained.push_back(tail = block);
  const size_t before = above(*heap::current).set_aside;
  ASSERT_GT(before, 0U);
  // As soon as the last look allows the next, whatever the test before has left.
  const uint64_t due =
      os::coarse_milliseconds() + static_cast<uint64_t>(option_value(Option::decay_ms)) / 2;
  const auto decay = [due](heap::LocalHeap &heap) {
    std::lock_guard guard(heap.lock());
    heap.decay(due);
  };
  std::thread([&, heap = heap::current] {
    for (void *block : chained) release(block);
    decay(*heap);
  }).join();
  EXPECT_EQ(above(*heap::current).set_aside, before);
  decay(*heap::current);
  EXPECT_LT(above(*heap::current).set_aside, before) << "which is due since";
}

} // namespace
} // namespace abut::near
