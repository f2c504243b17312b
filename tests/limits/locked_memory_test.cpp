// Memory that the program has locked, or that the kernel does not take back for another reason: it does not read as zero
// because it was freed.
#include "limits/refused_calls.hpp"
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <vector>

using support::opaque;
using support::require;

namespace {

constexpr size_t kSizes[] = {100, 3000, 20000, 100000, 1000000, 3000000};
constexpr size_t kManyBytes = size_t{32} << 20;

std::vector<void *> allocate_many(size_t bytes, void *(*allocate)(size_t)) {
  std::vector<void *> blocks(kManyBytes / bytes);
  for (void *&block : blocks) {
    block = opaque(allocate(bytes));
    require(block != nullptr, "there is memory");
  }
  return blocks;
}

void free_all(const std::vector<void *> &blocks) {
  for (void *block : blocks) std::free(block);
}

void *filled(size_t bytes) {
  void *block = std::malloc(bytes);
  return block != nullptr ? std::memset(block, 0xff, bytes) : nullptr;
}

void *zeroed(size_t bytes) {
  void *block = std::calloc(1, bytes);
  require(block == nullptr || support::all_zero(block, bytes), "calloc gives zeros");
  return block;
}

// Frees many blocks of each size, full of ones, has them given back in some way, and looks at what calloc makes of them.
void expect_zeros_again(void (*give_back)()) {
  std::vector<std::vector<void *>> blocks;
  for (const size_t bytes : kSizes) blocks.push_back(allocate_many(bytes, filled));
  for (const auto &some : blocks) free_all(some);
  give_back();
  for (const size_t bytes : kSizes) free_all(allocate_many(bytes, zeroed));
}

void trim() { malloc_trim(0); }

// Longer than a free page waits (ABUT_DECAY_MS), with requests that give an occasion to look.
void wait() {
  for (int i = 0; i < 25; ++i) {
    const timespec pause{0, 100'000'000};
    nanosleep(&pause, nullptr);
    for (int k = 0; k < 2000; ++k) std::free(opaque(std::malloc(100000 + 16 * k)));
  }
}

void in_locked_child(int flags, void (*give_back)()) {
  const support::Outcome outcome = support::in_child([flags, give_back] {
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_MEMLOCK, &all);
    if (mlockall(flags) != 0) _exit(77);
    expect_zeros_again(give_back);
  });
  if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 77)
    GTEST_SKIP() << "this user may not lock memory";
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(LockedMemory, IsClearedByCallocAfterATrim) { in_locked_child(MCL_CURRENT | MCL_FUTURE, trim); }

TEST(LockedMemory, IsClearedByCallocAfterSomeTime) {
  in_locked_child(MCL_CURRENT | MCL_FUTURE, wait);
}

TEST(LockedMemory, OfOneBlockIsClearedToo) {
  const support::Outcome outcome = support::in_child([] {
    for (const size_t bytes : {size_t{20000}, size_t{100000}, size_t{1500000}}) {
      const std::vector<void *> blocks = allocate_many(bytes, filled);
      const bool is_locked = mlock(blocks[5], bytes) == 0;
      free_all(blocks);
      trim();
      free_all(allocate_many(bytes, zeroed));
      if (!is_locked) return;
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(RefusedMadvise, LeavesPagesThatCallocClears) {
  for (void (*give_back)() : {trim, wait}) {
    const support::Outcome outcome = support::in_child([give_back] {
      require(limits::refuse({SYS_madvise}, EPERM), "the kernel has filters of system calls");
      expect_zeros_again(give_back);
    });
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  }
}

} // namespace
