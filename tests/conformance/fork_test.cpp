// fork and the heap's locks: from a signal handler that interrupted malloc.
#include "support/child.hpp"
#include "support/opaque.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/single_threaded.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using support::opaque;
using support::require;

namespace {

std::atomic<int> forks{0};

// Reaps the child that must have ended well.
void require_good_end(pid_t child) {
  int status = -1;
  require(child > 0, "fork works");
  require(waitpid(child, &status, 0) == child && status == 0, "the child ends well");
}

void fork_in_handler(int) {
  const int kept = errno;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  require_good_end(child);
  ++forks;
  errno = kept;
}

void plain_fork_in_handler(int) {
  const int kept = errno;
  const pid_t child = _Fork(); // runs no fork handlers: safe in a handler whatever else is running
  if (child == 0) _exit(0);
  require_good_end(child);
  ++forks;
  errno = kept;
}

void handle_usr1_by(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

// Another process that sends SIGUSR1 to this one, over and over.
pid_t start_pesterer() {
  const pid_t target = getpid();
  const pid_t pesterer = fork();
  if (pesterer == 0) {
    alarm(240);
    while (kill(target, SIGUSR1) == 0) usleep(200);
    _exit(0);
  }
  return pesterer;
}

void stop(pid_t process) {
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

void allocate_a_round(std::size_t round) {
  void *small = std::malloc(opaque(round % 600 + 1));
  void *large = round % 16 == 0 ? std::malloc(opaque(std::size_t{300'000})) : nullptr;
  std::free(small);
  std::free(large);
}

TEST(Fork, FromAHandlerThatInterruptedMallocInAPlainProgram) {
  if (__libc_single_threaded == 0)
    GTEST_SKIP()
        << "promised only to a process that never had a second thread: run this test alone";
  const support::Outcome outcome = support::in_child([] {
    handle_usr1_by(fork_in_handler);
    const pid_t pesterer = start_pesterer();
    for (std::size_t round = 0; forks < 1000; ++round) allocate_a_round(round);
    stop(pesterer);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(Fork, ByUnderscoreForkFromAHandlerInAThreadedProgram) {
  const support::Outcome outcome = support::in_child([] {
    handle_usr1_by(plain_fork_in_handler);
    std::atomic<bool> done{false};
    std::vector<std::thread> workers;
    for (int i = 0; i < 2; ++i)
      workers.emplace_back([&done] {
        for (std::size_t round = 0; !done; ++round) allocate_a_round(round);
      });
    const pid_t pesterer = start_pesterer();
    for (std::size_t round = 0; forks < 500; ++round) allocate_a_round(round);
    stop(pesterer);
    done = true;
    for (std::thread &worker : workers) worker.join();
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace
