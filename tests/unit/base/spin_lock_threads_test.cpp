#include "base/spin_lock.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace abut {
namespace {

struct Yielding {
  static void relax(unsigned) { sched_yield(); }
  static bool exempt() { return false; }
};
using Lock = BasicSpinLock<Yielding>;

struct Counting {
  static void relax(unsigned number) {
    in_order = in_order && number == tries;
    ++tries;
    sched_yield();
  }
  static bool exempt() { return false; }

  static inline std::atomic<unsigned> tries{0};
  static inline std::atomic<bool> in_order{true};
};

struct Exempting {
  static void relax(unsigned) { sched_yield(); }
  static bool exempt() { return holds_all; }

  static inline thread_local bool holds_all = false;
};

TEST(SpinLock, IsHeldByOneAtATime) {
  Lock lock;
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

TEST(SpinLock, CallsRelaxWithTheNumberOfTriesWhileItWaits) {
  BasicSpinLock<Counting> lock;
  lock.lock();
  EXPECT_EQ(Counting::tries, 0U) << "a free lock is taken without waiting";
  std::thread waiter([&] {
    lock.lock();
    lock.unlock();
  });
  while (Counting::tries < 10) sched_yield();
  lock.unlock();
  waiter.join();
  EXPECT_TRUE(Counting::in_order);
}

TEST(SpinLock, IsNeitherTakenNorReleasedByAThreadThatIsExempt) {
  BasicSpinLock<Exempting> lock;
  lock.lock();
  Exempting::holds_all = true;
  lock.lock(); // would wait for ever
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
  Exempting::holds_all = false;
  EXPECT_FALSE(lock.try_lock()) << "it is held as it was before";
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
}

TEST(SpinLock, LosesNoUpdateOfWhatItGuards) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20000;
  Lock lock;
  long counted = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        if (round % 2 == 0)
          lock.lock();
        else
          while (!lock.try_lock()) sched_yield();
        ++counted;
        lock.unlock();
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(counted, long{kThreads} * kRounds);
}

} // namespace
} // namespace abut
