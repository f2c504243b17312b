// What a fork asks of the system and of the locks. The handlers stay for good, so they are tried in a child.
#include "os/os.hpp"

#include "os/one_thread.hpp"
#include "support/child.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace abut::os {
namespace {

using support::require;

int calls_before = 0;
int calls_in_parent = 0;
int calls_in_child = 0;

TEST(CallAtFork, CallsEachHandlerWhereItBelongs) {
  const support::Outcome outcome = support::in_child([] {
    call_at_fork([] { ++calls_before; }, [] { ++calls_in_parent; }, [] { ++calls_in_child; });
    const pid_t child = fork();
    require(calls_before == 1, "called before the fork, so both see it");
    require(calls_in_parent == (child != 0), "called in the parent alone");
    require(calls_in_child == (child == 0), "called in the child alone");
    if (child == 0) _exit(0);
    int status = 0;
    waitpid(child, &status, 0);
    require(status == 0, "the child saw what it should");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(SingleThreaded, IsNotSaidOfAProcessWithASecondThread) {
  std::atomic<bool> said{true};
  std::thread([&] { said = has_one_thread(); }).join();
  EXPECT_FALSE(said);
}

TEST(HoldsEveryLock, ExemptsTheThreadThatForksAndNoOther) {
  static SpinLock lock;
  lock.lock();
  holds_every_lock = true;
  EXPECT_TRUE(lock.try_lock());
  bool taken_by_another = true;
  std::thread([&] { taken_by_another = lock.try_lock(); }).join();
  EXPECT_FALSE(taken_by_another);
  holds_every_lock = false;
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

} // namespace
} // namespace abut::os
