// call_at_thread_exit serves one handler a process, and other tests of this program need the heap's: so these
// run in children, which must be made before the heap has taken the place.
#include "os/os.hpp"

#include "support/child.hpp"

#include <atomic>
#include <cerrno>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
enum class KeyMaking { goes_on, is_to_wait, waits };
std::atomic<KeyMaking> key_making{KeyMaking::goes_on};
} // namespace

// What the hooks make their keys by: here it can be halted.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is the C library's
extern "C" int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) noexcept {
  auto seen = KeyMaking::is_to_wait;
  if (key_making.compare_exchange_strong(seen, KeyMaking::waits))
    while (key_making == KeyMaking::waits) abut::os::relax(64);
  return pthread_key_create(key, destructor);
}

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

// The other thread has said that it makes the key, and is not there to finish it.
TEST(CallAtThreadExit, AChildMakesTheKeyThatAnotherThreadWasMaking) {
  const support::Outcome outcome = support::in_child([] {
    key_making = KeyMaking::is_to_wait;
    pthread_t maker;
    require(pthread_create(&maker, nullptr, thread_body, reinterpret_cast<void *>(1L)) == 0,
            "a thread starts");
    while (key_making != KeyMaking::waits) relax(64);
    const pid_t child = fork();
    if (child == 0) {
      alarm(2);
      key_making = KeyMaking::goes_on;
      _exit(call_at_thread_exit(handler, nullptr) ? 0 : 1);
    }
    int status = -1;
    require(waitpid(child, &status, 0) == child && status == 0, "the child has a key");
    key_making = KeyMaking::goes_on;
    pthread_join(maker, nullptr);
    require(calls == 1, "and so has the parent");
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
