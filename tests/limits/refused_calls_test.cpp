// Every system call that the library can do without may be refused: the program computes the same.
#include "limits/refused_calls.hpp"
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"
#include "support/units.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using support::opaque;
using support::require;

namespace {

using support::KiB;
using support::MiB;

struct Held {
  void *block = nullptr;
  size_t bytes = 0;
  uint64_t key = 0;
};

void allocate(Held &held, size_t bytes, uint64_t key) {
  const bool zeroed = key % 3 == 0;
  held = {zeroed ? std::calloc(1, bytes) : std::malloc(bytes), bytes, key};
  require(held.block != nullptr, "there is memory");
  if (zeroed) require(support::all_zero(held.block, bytes), "calloc gives zeros");
  support::fill_sparsely(held.block, bytes, key);
}

void resize(Held &held, size_t bytes) {
  void *moved = std::realloc(held.block, bytes);
  require(moved != nullptr, "realloc has memory");
  held.block = moved;
  const size_t kept = std::min(held.bytes, bytes);
  require(kept < 4096 || support::holds_sparsely(moved, kept & ~size_t{4095}, held.key),
          "realloc keeps the contents");
  held.bytes = bytes;
  support::fill_sparsely(held.block, bytes, held.key);
}

void release(Held &held) {
  require(support::holds_sparsely(held.block, held.bytes, held.key), "a block keeps its contents");
  std::free(held.block);
  held = {};
}

// Blocks of every kind come, change their size and go.
void use_memory(uint64_t seed, unsigned steps) {
  support::Random random(seed);
  std::array<Held, 64> blocks{};
  for (unsigned step = 0; step < steps; ++step) {
    Held &held = blocks[random.below(blocks.size())];
    const size_t bytes = random.size_up_to(random.below(16) == 0 ? 24 * MiB : 64 * KiB);
    if (held.block == nullptr)
      allocate(held, bytes, random.next());
    else if (random.below(3) == 0)
      resize(held, bytes);
    else
      release(held);
    if (step % 256 == 0) malloc_trim(0);
  }
  for (Held &held : blocks)
    if (held.block != nullptr) release(held);
}

// A huge block that grows beyond its neighbours and shrinks again: where mappings are made longer and moved.
void grow_and_shrink() {
  Held first;
  Held second;
  allocate(first, 4 * MiB, 1);
  allocate(second, 4 * MiB, 2);
  for (size_t bytes = 5 * MiB; bytes <= 40 * MiB; bytes += 7 * MiB) resize(first, bytes);
  for (size_t bytes = 35 * MiB; bytes > 3 * MiB; bytes -= 4 * MiB) resize(first, bytes);
  release(first);
  release(second);
}

// The C library itself ends a process that may not register a new thread, or a child, for restartable sequences.
void use_everything(bool alone) {
  use_memory(1, 3000);
  grow_and_shrink();
  if (alone) return;
  std::thread([] { use_memory(2, 1000); }).join();
  const pid_t child = fork();
  if (child == 0) {
    use_memory(3, 500);
    _exit(0);
  }
  int status = 0;
  require(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child goes on");
  std::free(opaque(std::malloc(1)));
}

struct Call {
  const char *name;
  long number;
};

class RefusedCall : public testing::TestWithParam<Call> {};

TEST_P(RefusedCall, ChangesNothing) {
  for (const int error : {EPERM, ENOSYS}) {
    const support::Outcome outcome = support::in_child([error] {
      require(limits::refuse({GetParam().number}, error), "the kernel has filters of system calls");
      use_everything(GetParam().number == SYS_rseq);
    });
    EXPECT_TRUE(outcome.succeeded()) << GetParam().name << ": " << outcome.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Each, RefusedCall,
                         testing::Values(Call{"madvise", SYS_madvise}, Call{"mincore", SYS_mincore},
                                         Call{"mremap", SYS_mremap},
                                         Call{"membarrier", SYS_membarrier},
                                         Call{"getrandom", SYS_getrandom}, Call{"rseq", SYS_rseq},
                                         Call{"getcpu", SYS_getcpu}, Call{"prctl", SYS_prctl}),
                         [](const auto &call) { return std::string(call.param.name); });

// systemd's filter for services (@system-service) knows none of these.
TEST(RefusedCalls, ThoseThatServicesMayNotMakeAreNotMade) {
  const support::Outcome outcome = support::in_child([] {
    require(limits::forbid({SYS_mincore, SYS_process_madvise, SYS_userfaultfd}),
            "the kernel has filters of system calls");
    use_everything(false);
    for (int round = 0; round < 4; ++round) std::free(opaque(std::calloc(64 * MiB, 1)));
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(RefusedCalls, AllTogetherChangeNothing) {
  const support::Outcome outcome = support::in_child([] {
    require(limits::refuse({SYS_madvise, SYS_mincore, SYS_mremap, SYS_membarrier, SYS_getrandom,
                            SYS_rseq, SYS_getcpu, SYS_prctl, SYS_openat},
                           EACCES),
            "the kernel has filters of system calls");
    use_everything(true);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace
