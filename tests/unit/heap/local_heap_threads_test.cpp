// A heap without a thread of its own: the test plays its owner, and other threads send blocks to it.
#include "heap/local_heap.hpp"

#include "support/pattern.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

constexpr uintptr_t kMark = 0x5a5a5a5a5a5a5a5b;

Address address_of(const void *memory) { return reinterpret_cast<Address>(memory); }

class LocalHeapTest : public testing::Test {
protected:
  LocalHeapTest() { heap->open(0x7fffff, kMark); }
  ~LocalHeapTest() override {
    for (void *block : held) heap->receive(static_cast<Block *>(block), 0);
    heap->close();
    EXPECT_EQ(pages_taken.value(), taken_before) << "a heap without a block has no pages";
  }

  void *take(size_t bytes) {
    void *block = allocate(bytes);
    EXPECT_NE(block, nullptr);
    held.push_back(block);
    return block;
  }

  void *allocate(size_t bytes) {
    if (bytes > kSmallMax) return heap->allocate_medium(bytes, 1);
    const unsigned size = SmallHeap::class_of(bytes);
    if (void *block = heap->sizes.take(size)) return block;
    return heap->allocate_small(size);
  }

  std::vector<void *> take_many(size_t count, size_t bytes) {
    std::vector<void *> blocks;
    for (size_t i = 0; i < count; ++i) blocks.push_back(take(bytes));
    return blocks;
  }

  // As another thread frees: the block goes to the inbox.
  void send(void *block, unsigned sender = 1) {
    std::erase(held, block);
    heap->receive(static_cast<Block *>(block), sender);
  }

  void send_all() {
    for (void *block : held) heap->receive(static_cast<Block *>(block), 1);
    held.clear();
  }

  std::unique_ptr<LocalHeap> heap = std::make_unique<LocalHeap>();
  std::vector<void *> held;
  const size_t taken_before = pages_taken.value();
};

TEST_F(LocalHeapTest, TellsItsTiersApartByTag) {
  for (size_t bytes : {size_t{8}, size_t{16}, kSmallMax, kSmallMax + 1, kMediumMax}) {
    const Address block = address_of(take(bytes));
    const uint32_t tag = Segment::of(block)->tag_at(block);
    const Tier tier = bytes <= kSmallMax ? Tier::small : Tier::medium;
    EXPECT_EQ(tier_of(tag), tier) << bytes;
    EXPECT_EQ(tag, tag_for(heap->number(), tier));
    EXPECT_EQ(Segment::of(block)->span_at(block).owner, heap.get());
  }
}

TEST_F(LocalHeapTest, HeapsOfDifferentNumbersHaveDifferentTags) {
  EXPECT_NE(tag_for(1, Tier::small), tag_for(2, Tier::small));
  EXPECT_NE(tag_for(1, Tier::small), tag_for(1, Tier::medium));
  EXPECT_NE(tag_for(1, Tier::small), 0U) << "nought stands for pages";
}

TEST_F(LocalHeapTest, UsesAgainWhatOtherThreadsFreed) {
  for (size_t bytes : {size_t{8}, size_t{64}, size_t{2000}}) {
    const size_t count = MiB / 2 / bytes;
    take_many(count, bytes);
    const size_t full = pages_taken.value();
    for (int round = 0; round < 4; ++round) {
      send_all();
      take_many(count, bytes);
    }
    EXPECT_LE(pages_taken.value(), full + full / 8) << bytes;
    send_all();
  }
}

TEST_F(LocalHeapTest, LeavesBlocksInTheInboxToItsOwner) {
  void *block = take(64);
  send(block);
  EXPECT_TRUE(heap->inbox().any());
  heap->close();
  EXPECT_FALSE(heap->inbox().any());
}

TEST_F(LocalHeapTest, IsSortedByOthersWhenItsOwnerSleeps) {
  take_many(20000, 64);
  const size_t full = pages_taken.value();
  send_all();
  EXPECT_LE(pages_taken.value(), taken_before + (full - taken_before) / 4)
      << "most pages went back though the owner did nothing";
}

TEST_F(LocalHeapTest, IsSortedAtOnceWhenItHasNoOwner) {
  take_many(2000, 64);
  heap->close();
  heap->orphan.store(true);
  send_all();
  EXPECT_FALSE(heap->inbox().any());
  EXPECT_EQ(pages_taken.value(), taken_before);
}

TEST_F(LocalHeapTest, DoesNotWaitForAnOwnerThatWillNeverCloseIt) {
  void *block = take(100); // on the page that the owner fills
  heap->orphan =
      true; // as a fork may find it: the owner has said that it ends, and is not there any more
  send(block);
  EXPECT_TRUE(heap->inbox().any()) << "left to whoever closes the heap";
  heap->close();
  EXPECT_FALSE(heap->inbox().any());
}

TEST_F(LocalHeapTest, KeepsNothingWhenItIsClosed) {
  for (size_t bytes : {size_t{8}, size_t{64}, size_t{512}, size_t{2000}, size_t{30000}})
    for (void *block : take_many(50, bytes)) send(block);
  heap->close();
  EXPECT_EQ(pages_taken.value(), taken_before);
  EXPECT_NE(take(64), nullptr) << "and goes on all the same";
}

TEST_F(LocalHeapTest, GivesPagesBackWhenItIsTrimmed) {
  take_many(2 * MiB / 64, 64);
  const size_t full = pages_taken.value();
  send_all();
  heap->trim();
  EXPECT_LE(pages_taken.value(), taken_before + (full - taken_before) / 16)
      << "all that nobody fills, though the owner did nothing";
}

TEST_F(LocalHeapTest, ResizesMediumBlocksWhereTheyLie) {
  void *block = take(4000);
  support::fill(block, 4000, 1);
  EXPECT_TRUE(heap->resize_medium(address_of(block), MediumHeap::granules_for(1000)));
  EXPECT_TRUE(heap->resize_medium(address_of(block), MediumHeap::granules_for(3000)));
  EXPECT_TRUE(support::holds(block, 1000, 1));
}

TEST_F(LocalHeapTest, NoticesABlockThatComesBackTwice) {
  for (size_t bytes : {size_t{8}, size_t{64}, size_t{2000}})
    EXPECT_DEATH(
        {
          void *block = take(bytes);
          take(bytes);
          heap->close(); // from here on the maps know every block
          for (int i = 0; i < 2; ++i) {
            send(block);
            heap->trim();
          }
        },
        "free\\(0x[0-9a-f]+\\): ")
        << bytes;
}

// The owner takes and fills; four threads check and free. In the end nothing may be left.
TEST_F(LocalHeapTest, GetsBackEverythingFromManyThreads) {
  constexpr unsigned kThreads = 4;
  for (int round = 0; round < 6; ++round) {
    struct Sent {
      void *block;
      size_t bytes;
    };
    std::vector<Sent> sent[kThreads];
    support::Random random(static_cast<uint64_t>(round));
    for (int i = 0; i < 8000; ++i) {
      const size_t bytes = random.size_up_to(random.below(20) == 0 ? kMediumMax : kSmallMax);
      void *block = allocate(bytes);
      support::fill(block, bytes, address_of(block));
      sent[random.below(kThreads)].push_back({block, bytes});
    }
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned sender = 0; sender < kThreads; ++sender)
      threads.emplace_back([&, sender] {
        for (const Sent &one : sent[sender]) {
          wrong += !support::holds(one.block, one.bytes, address_of(one.block));
          heap->receive(static_cast<Block *>(one.block), sender);
        }
      });
    for (int i = 0; i < 8000; ++i) // meanwhile
      heap->receive(static_cast<Block *>(allocate(random.size_up_to(kSmallMax))), kThreads);
    for (std::thread &thread : threads) thread.join();
    ASSERT_EQ(wrong, 0);
  }
  heap->close();
  EXPECT_EQ(pages_taken.value(), taken_before);
}

TEST_F(LocalHeapTest, SaysThatItTookOverWhatOthersMayHaveHad) {
  take(100); // on its first pages
  EXPECT_TRUE(heap->has_taken_over());
  EXPECT_FALSE(heap->has_taken_over());
  const auto blocks = take_many(8, 100);
  EXPECT_FALSE(heap->has_taken_over()) << "pages of its own";
  send(blocks[3]);
  EXPECT_FALSE(heap->has_taken_over()) << "it waits in the inbox";
  take_many(1000, 100);
  EXPECT_TRUE(heap->has_taken_over());
  EXPECT_FALSE(heap->has_taken_over());
  send(take(100));
  EXPECT_FALSE(heap->has_taken_over());
  heap->help(); // as another thread does
  EXPECT_TRUE(heap->has_taken_over());
  EXPECT_FALSE(heap->has_taken_over());
  take(20'000);
  EXPECT_TRUE(heap->has_taken_over()) << "pages for medium blocks";
}

} // namespace
} // namespace abut::heap
