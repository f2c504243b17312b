// Forks while other threads hold the C library's locks of streams, and request memory with these held.
#include "support/child.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using support::require;

namespace {

// `make test-all` sets it to more.
int forks() {
  const char *text = std::getenv("ABUT_TEST_FORKS");
  return text != nullptr ? std::atoi(text) : 1000;
}

std::atomic<bool> is_over{false};

// Each line that is longer than those before makes getline ask for more memory, with the stream locked.
void read_lines() {
  while (!is_over) {
    FILE *file = std::fopen("/proc/self/maps", "r");
    if (file == nullptr) return;
    char *line = nullptr;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
    }
    std::free(line);
    std::fclose(file);
  }
}

void flush_all() {
  while (!is_over) std::fflush(nullptr);
}

void fork_once() {
  const pid_t child = fork();
  require(child >= 0, "a child can be made");
  if (child == 0) {
    std::free(std::malloc(100));
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  require(waitpid(child, &status, 0) == child && status == 0, "the child goes on");
}

TEST(ForkAmongStreams, DoesNotLockUp) {
  const support::Outcome outcome = support::in_child([] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back(read_lines);
      threads.emplace_back(flush_all);
    }
    for (int i = 0; i < forks(); ++i) fork_once();
    is_over = true;
    for (std::thread &thread : threads) thread.join();
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// Two threads that fork, each with a fork's locks to take.
TEST(ForkAmongStreams, ByTwoThreadsDoesNotLockUp) {
  const support::Outcome outcome = support::in_child([] {
    std::vector<std::thread> threads;
    threads.emplace_back(read_lines);
    threads.emplace_back(flush_all);
    std::vector<std::thread> forking;
    for (int i = 0; i < 2; ++i)
      forking.emplace_back([] {
        for (int k = 0; k < forks() / 2; ++k) fork_once();
      });
    for (std::thread &thread : forking) thread.join();
    is_over = true;
    for (std::thread &thread : threads) thread.join();
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace
