#include "heap/inbox.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

std::vector<Block *> take(Inbox &inbox) {
  std::vector<Block *> taken;
  inbox.take([&](Block *block) { taken.push_back(block); });
  return taken;
}

TEST(Inbox, GivesEveryBlockOnce) {
  Inbox inbox;
  std::vector<Block> blocks(100);
  EXPECT_FALSE(inbox.any());
  for (unsigned i = 0; i < blocks.size(); ++i) {
    inbox.put(&blocks[i], i);
    EXPECT_TRUE(inbox.any());
  }
  std::vector<Block *> taken = take(inbox);
  std::sort(taken.begin(), taken.end());
  ASSERT_EQ(taken.size(), blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(taken[i], &blocks[i]);
  EXPECT_FALSE(inbox.any());
  EXPECT_TRUE(take(inbox).empty());
}

TEST(Inbox, CountsTheBlocksOfEachLane) {
  Inbox inbox;
  std::vector<Block> blocks(20);
  for (unsigned i = 0; i < 10; ++i) EXPECT_EQ(inbox.put(&blocks[i], 0), i + 1);
  EXPECT_EQ(inbox.put(&blocks[10], 1), 1U) << "another sender, another lane";
  take(inbox);
  EXPECT_EQ(inbox.put(&blocks[11], 0), 1U) << "the count begins anew";
}

TEST(Inbox, GoesOnWhenItsRingsAreFull) {
  Inbox inbox;
  std::vector<Block> blocks(70000);
  uint32_t count = 0;
  for (Block &block : blocks) {
    const uint32_t next = inbox.put(&block, 0);
    ASSERT_GE(next, count);
    count = next;
  }
  EXPECT_EQ(take(inbox).size(), blocks.size());
}

TEST(Inbox, WaitsForNoGapAfterAFork) {
  Inbox inbox;
  std::vector<Block> blocks(3 * Inbox::kSlots);
  for (int round = 0; round < 3; ++round) { // so that the ring has come round
    for (uint32_t i = 0; i < Inbox::kSlots - 10; ++i) inbox.put(&blocks[i], 0);
    EXPECT_EQ(take(inbox).size(), Inbox::kSlots - 10);
  }
  for (uint32_t i = 0; i < 100; ++i)
    inbox.put(i % 7 == 0 ? nullptr : &blocks[i], 0); // null: never filled
  EXPECT_TRUE(take(inbox).empty()) << "the first sender is about to fill its slot";
  inbox.close_gaps();
  EXPECT_EQ(take(inbox).size(), 100U - 15);
  EXPECT_FALSE(inbox.any());
  for (Block &block : blocks) inbox.put(&block, 0);
  EXPECT_EQ(take(inbox).size(), blocks.size());
}

TEST(Inbox, TakesBlocksThatAVisitPutsBack) {
  Inbox inbox;
  std::vector<Block> blocks(10);
  for (Block &block : blocks) inbox.put(&block, 0);
  size_t visits = 0;
  inbox.take([&](Block *block) {
    ++visits;
    inbox.put(block, 0);
  });
  EXPECT_GE(visits, blocks.size());
  EXPECT_TRUE(inbox.any());
  EXPECT_EQ(take(inbox).size(), blocks.size());
}

// The block's mark counts how often it was received: a plain number, so that the race detector sees whether a
// block is handed over properly.
TEST(Inbox, LosesNothingBetweenManySendersAndOneReceiver) {
  constexpr unsigned kSenders = 4;
  constexpr size_t kEach = 20000;
  Inbox inbox;
  std::vector<Block> blocks(kSenders * kEach);
  std::atomic<unsigned> sending{kSenders};
  std::vector<std::thread> senders;
  for (unsigned sender = 0; sender < kSenders; ++sender)
    senders.emplace_back([&, sender] {
      for (size_t i = 0; i < kEach; ++i) {
        Block &block = blocks[sender * kEach + i];
        block.mark = 1;
        inbox.put(&block, sender % 2 == 0 ? sender : 0);
      }
      --sending;
    });
  size_t received = 0;
  const auto receive = [&] { inbox.take([&](Block *block) { ++received, ++block->mark; }); };
  while (sending != 0)
    if (inbox.any())
      receive();
    else
      sched_yield();
  for (std::thread &sender : senders) sender.join();
  receive();
  EXPECT_EQ(received, blocks.size());
  for (const Block &block : blocks) ASSERT_EQ(block.mark, 2U);
}

TEST(Inbox, GivesEveryBlockToOneOfManyReceiversInTurn) {
  constexpr size_t kBlocks = 20000;
  Inbox inbox;
  std::mutex receiving;
  std::vector<Block> blocks(kBlocks);
  std::atomic<size_t> received{0};
  std::vector<std::thread> receivers;
  for (int i = 0; i < 3; ++i)
    receivers.emplace_back([&] {
      while (received < kBlocks) {
        {
          std::lock_guard guard(receiving);
          inbox.take([&](Block *block) { ++block->mark, ++received; });
        }
        sched_yield();
      }
    });
  for (unsigned i = 0; i < kBlocks; ++i) {
    blocks[i].mark = 1;
    inbox.put(&blocks[i], i);
  }
  for (std::thread &receiver : receivers) receiver.join();
  for (const Block &block : blocks) ASSERT_EQ(block.mark, 2U);
}

} // namespace
} // namespace abut::heap
