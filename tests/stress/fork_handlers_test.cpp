// pthread_atfork handlers that allocate and free, registered before the heap had its say and after.
#include "stress/storm.hpp"
#include "support/child.hpp"

#include <array>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" int early_fork_handler_calls;

using stress::Block;
using support::require;

namespace {

std::array<Block, 100> kept;
int late_handler_calls = 0;

void allocate_some() {
  for (std::uint64_t i = 0; i < kept.size(); ++i) {
    require(kept[i].start == nullptr || kept[i].intact(), "a handler's block is intact");
    kept[i].release();
    kept[i] = Block::make(i * i * 5 + 1, i);
  }
  ++late_handler_calls;
}

void fork_repeatedly(int times) {
  for (int i = 0; i < times; ++i) {
    const int before = late_handler_calls;
    const int early_before = early_fork_handler_calls;
    const pid_t child = fork();
    require(late_handler_calls == before + 2, "both late handlers ran");
    require(early_fork_handler_calls == early_before + 2, "both early handlers ran");
    if (child == 0) _exit(0);
    int status = -1;
    require(waitpid(child, &status, 0) == child && status == 0, "the child ends well");
  }
}

TEST(ForkHandlers, MayAllocateInAPlainProgram) {
  const support::Outcome outcome = support::in_child([] {
    pthread_atfork(allocate_some, allocate_some, allocate_some);
    fork_repeatedly(50);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(ForkHandlers, MayAllocateWhileOtherThreadsDo) {
  const support::Outcome outcome = support::in_child([] {
    pthread_atfork(allocate_some, allocate_some, allocate_some);
    const stress::Storm storm(3);
    fork_repeatedly(50);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace
