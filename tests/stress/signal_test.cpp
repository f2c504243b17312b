// Signals that arrive in the midst of malloc and free: handlers that do not allocate must disturb
// nothing.
#include "stress/block.hpp"
#include "support/random.hpp"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/time.h>
#include <thread>
#include <vector>

using stress::Block;

namespace {

std::atomic<std::uint64_t> signals{0};

void count_signal(int) { ++signals; }

int churn(std::uint64_t seed, std::uint64_t until) {
  support::Random random(seed);
  std::vector<Block> blocks(200);
  int damaged = 0;
  while (signals < until) {
    Block &block = blocks[random.below(blocks.size())];
    damaged += block.start == nullptr || block.intact() ? 0 : 1;
    block.release();
    block = Block::make(random.size_up_to(20'000), random.next());
  }
  for (Block &block : blocks) block.release();
  return damaged;
}

class Signals : public testing::Test {
protected:
  void SetUp() override {
    signals = 0;
    struct sigaction action = {};
    action.sa_handler = count_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    sigaction(SIGUSR1, &action, nullptr);
  }
};

TEST_F(Signals, OfATimerInterruptOneThread) {
  const itimerval often{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &often, nullptr);
  EXPECT_EQ(churn(1, 300), 0);
  const itimerval never{};
  setitimer(ITIMER_PROF, &never, nullptr);
}

TEST_F(Signals, FromAnotherThreadInterruptSeveral) {
  constexpr std::uint64_t kSignals = 8'000;
  std::atomic<int> damaged{0};
  std::vector<std::thread> workers;
  for (std::uint64_t i = 0; i < 2; ++i)
    workers.emplace_back([&damaged, i] { damaged += churn(i, kSignals); });
  while (signals < kSignals)
    for (std::thread &worker : workers) pthread_kill(worker.native_handle(), SIGUSR1);
  for (std::thread &worker : workers) worker.join();
  EXPECT_EQ(damaged, 0);
}

} // namespace
