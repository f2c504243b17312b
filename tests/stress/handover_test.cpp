// Blocks allocated by one thread and freed by another: in pairs, in rings, all to all, and back to
// an idle owner.
#include "stress/block.hpp"
#include "support/process_memory.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <deque>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

using stress::Block;

namespace {

class Mailbox {
public:
  void put(std::vector<Block> parcel) {
    const std::lock_guard lock(mutex_);
    parcels_.push_back(std::move(parcel));
    arrived_.notify_one();
  }

  std::vector<Block> take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !parcels_.empty(); });
    std::vector<Block> parcel = std::move(parcels_.front());
    parcels_.pop_front();
    return parcel;
  }

private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::vector<Block>> parcels_;
};

// Frees every block, and counts the damaged among those it frees.
int free_all(std::vector<Block> &blocks) {
  int damaged = 0;
  for (Block &block : blocks) {
    damaged += block.intact() ? 0 : 1;
    block.release();
  }
  blocks.clear();
  return damaged;
}

std::vector<Block> parcel_of(std::size_t count, std::size_t largest, support::Random &random) {
  std::vector<Block> parcel;
  for (std::size_t i = 0; i < count; ++i)
    parcel.push_back(Block::make(random.size_up_to(largest), random.next()));
  return parcel;
}

class Ring : public testing::TestWithParam<std::size_t> {};

TEST_P(Ring, EachThreadFreesWhatThePreviousMade) {
  const auto parcels = static_cast<int>(1200 / GetParam());
  const std::size_t count = GetParam();
  std::vector<Mailbox> mailboxes(count);
  std::atomic<int> damaged{0};
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < count; ++self)
    threads.emplace_back([&, self] {
      support::Random random(self);
      for (int i = 0; i < parcels; ++i) {
        mailboxes[(self + 1) % count].put(parcel_of(100, 20'000, random));
        std::vector<Block> received = mailboxes[self].take();
        damaged += free_all(received);
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(damaged, 0);
}

INSTANTIATE_TEST_SUITE_P(Handover, Ring, testing::Values(2, 3, 8, 32));

TEST(Handover, OneMakesAndManyFree) {
  constexpr std::size_t consumers = 4;
  std::vector<Mailbox> mailboxes(consumers);
  std::atomic<int> damaged{0};
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < consumers; ++self)
    threads.emplace_back([&, self] {
      for (std::vector<Block> parcel = mailboxes[self].take(); !parcel.empty();
           parcel = mailboxes[self].take())
        damaged += free_all(parcel);
    });
  support::Random random(5);
  for (std::size_t i = 0; i < 2000; ++i) mailboxes[i % consumers].put(parcel_of(100, 3000, random));
  for (Mailbox &mailbox : mailboxes) mailbox.put({});
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(damaged, 0);
}

TEST(Handover, ManyReallocWhatOthersMade) {
  constexpr std::size_t count = 4;
  std::vector<std::vector<Block>> tables(count);
  std::barrier round(count);
  std::atomic<int> damaged{0};
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < count; ++self)
    threads.emplace_back([&, self] {
      support::Random random(self);
      tables[self] = parcel_of(1000, 5000, random);
      for (std::size_t turn = 1; turn <= 40; ++turn) {
        round.arrive_and_wait();
        for (Block &block : tables[(self + turn) % count]) {
          const std::size_t size = random.size_up_to(5000);
          block.start = std::realloc(block.start, size);
          damaged += support::holds(block.start, std::min(size, block.size), block.key) ? 0 : 1;
          block.size = size;
          support::fill(block.start, size, block.key);
        }
      }
      round.arrive_and_wait();
      damaged += free_all(tables[self]);
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(damaged, 0);
}

// The owner makes, another frees, and the owner then makes as much again: what was freed must serve
// it.
TEST(Handover, ReturnedBlocksServeTheirOwnerAgain) {
  constexpr std::size_t count = 400'000; // of 200 bytes: 80 MB a round
  std::vector<void *> blocks(count);
  std::size_t after_first = 0;
  for (int round = 0; round < 10; ++round) {
    for (void *&block : blocks) *static_cast<int *>(block = std::malloc(200)) = round;
    if (round == 0) after_first = support::resident_bytes();
    std::thread([&blocks] {
      for (void *block : blocks) std::free(block);
    }).join();
  }
  EXPECT_LT(support::resident_bytes(), after_first * 3 / 2)
      << "ten rounds must not need ten rounds' memory";
}

} // namespace
