// call_at_thread_exit serves one handler a process, and other tests of this program need the heap's: so these
// run in children, which must be made before the heap has taken the place.
#include "os/os.hpp"

#include "support/child.hpp"

#include <atomic>
#include <cerrno>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

namespace abut::os {
namespace {

using support::require;

std::atomic<int> calls{0};
std::atomic<long> sum{0};
thread_local int local = 0;

void handler(void *argument) {
  ++calls;
  sum += reinterpret_cast<long>(argument) + local;
}

void *thread_body(void *argument) {
  local = 1000;
  require(call_at_thread_exit(handler, argument), "the handler is taken");
  return nullptr;
}

void run_threads(long count) {
  pthread_t threads[16];
  for (long i = 0; i < count; ++i)
    require(pthread_create(&threads[i], nullptr, thread_body, reinterpret_cast<void *>(i + 1)) == 0,
            "a thread starts");
  for (long i = 0; i < count; ++i) pthread_join(threads[i], nullptr);
}

TEST(CallAtThreadExit, CallsOnceAThreadWithItsArgument) {
  const support::Outcome outcome = support::in_child([] {
    run_threads(1);
    require(calls == 1, "one thread, one call");
    require(sum == 1001,
            "its argument came along, and its thread-local variables were still there");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(CallAtThreadExit, ServesThreadsThatAskAtTheSameTime) {
  const support::Outcome outcome = support::in_child([] {
    run_threads(16);
    require(calls == 16, "sixteen threads, sixteen calls");
    require(sum == 16 * 1000 + 16 * 17 / 2, "each with its own argument");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(CallAtThreadExit, TakesTheLatestArgumentOfAThread) {
  const support::Outcome outcome = support::in_child([] {
    pthread_t thread;
    const auto twice = [](void *) -> void * {
      call_at_thread_exit(handler, reinterpret_cast<void *>(5L));
      call_at_thread_exit(handler, reinterpret_cast<void *>(7L));
      return nullptr;
    };
    require(pthread_create(&thread, nullptr, twice, nullptr) == 0, "a thread starts");
    pthread_join(thread, nullptr);
    require(calls == 1 && sum == 7, "called once, for the latest argument");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(Relax, ComesBackWithErrnoAsItWas) {
  errno = 123;
  for (unsigned tries : {0U, 1U, 63U, 64U, 1000000U, ~0U}) relax(tries);
  EXPECT_EQ(errno, 123);
}

} // namespace
} // namespace abut::os
