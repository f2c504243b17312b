// Limits on memory: what is free serves whatever is asked for next, and what cannot be had is refused.
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/process_memory.hpp"
#include "support/units.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

using support::opaque;
using support::require;

namespace {

using support::GiB;
using support::KiB;
using support::MiB;

// A queue of blocks, each of which leads to the next one: no other memory is needed to remember them.
struct Node {
  Node *next;
};

class Queue {
public:
  bool add(size_t bytes) {
    auto *node = static_cast<Node *>(std::malloc(bytes));
    if (node == nullptr) return false;
    std::memset(static_cast<void *>(node), 1, bytes);
    node->next = nullptr;
    *last_ = node;
    last_ = &node->next;
    return true;
  }

  bool drop_first() {
    Node *node = first_;
    if (node == nullptr) return false;
    first_ = node->next;
    if (first_ == nullptr) last_ = &first_;
    std::free(node);
    return true;
  }

  void drop_all() {
    while (drop_first()) {
    }
  }

private:
  Node *first_ = nullptr;
  Node **last_ = &first_;
};

// Bytes that blocks of one size can have until there is no more; all are freed.
size_t fill_up(size_t bytes) {
  Queue queue;
  size_t total = 0;
  for (; queue.add(bytes); total += bytes) {
  }
  require(errno == ENOMEM, "errno says why");
  queue.drop_all();
  return total;
}

void limit(int resource, size_t bytes) {
  const rlimit limits{bytes, bytes};
  require(setrlimit(resource, &limits) == 0, "the limit can be set");
}

TEST(LimitedAddresses, ServeEverySizeInTurn) {
  const support::Outcome outcome = support::in_child([] {
    limit(RLIMIT_AS, support::mapped_bytes() + 250 * MiB);
    // How much of it a size can use depends on its rounding alone, not on what came before.
    const size_t least[][2] = {{100, 190},   {5 * MiB, 200}, {100, 190},
                               {20000, 190}, {100, 190},     {500000, 190},
                               {2000, 190},  {5 * MiB, 200}, {100, 190}};
    for (const auto &[bytes, megabytes] : least)
      require(fill_up(bytes) >= megabytes * MiB, ("blocks of " + std::to_string(bytes)).c_str());
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(LimitedAddresses, ServeAgainHoweverOftenTheyAreExhausted) {
  const support::Outcome outcome = support::in_child([] {
    const size_t before = support::mapped_bytes();
    for (size_t round = 0; round < 30; ++round) {
      const rlimit now{before + 16 * MiB + round % 7 * 150 * KiB, RLIM_INFINITY};
      require(setrlimit(RLIMIT_AS, &now) == 0, "the limit can be set");
      fill_up(2000);
      require(fill_up(5 * MiB) >= 10 * MiB, "blocks of 5 MiB");
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(LimitedAddresses, LargeBlocksNeedNoSegment) {
  const support::Outcome outcome = support::in_child([] {
    limit(RLIMIT_AS, support::mapped_bytes() + 2 * MiB);
    require(fill_up(100000) >= MiB, "blocks of 100,000 bytes");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(LimitedAddresses, LetABlockGrowIntoWhatIsFree) {
  const support::Outcome outcome = support::in_child([] {
    void *block = std::malloc(opaque(size_t{20'000}));
    limit(RLIMIT_AS, support::mapped_bytes() + 16 * MiB);
    Queue longer;
    while (longer.add(22'000)) {
    }
    longer.drop_first();
    require(std::realloc(opaque(block), 22'000) != nullptr, "one of that size is free");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// A queue in which blocks of one size take the place of those of another, so that 150 MiB are in use all the time.
size_t peak_of_phases(const size_t *sizes, size_t count) {
  constexpr size_t kLive = 150 * MiB;
  Queue old;
  size_t old_size = 0;
  size_t old_bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    Queue next;
    size_t bytes = 0;
    for (; bytes + sizes[i] <= kLive; bytes += sizes[i]) {
      for (; old_bytes != 0 && old_bytes + bytes + sizes[i] > kLive; old_bytes -= old_size)
        old.drop_first();
      require(next.add(sizes[i]), "there is memory");
    }
    old.drop_all();
    old = next;
    old_size = sizes[i];
    old_bytes = bytes;
  }
  old.drop_all();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * KiB;
}

constexpr size_t kRising[] = {24,    64,     200,    500,     1500,   6000,
                              20000, 100000, 500000, 1500000, 3000000};
constexpr size_t kFalling[] = {3000000, 1500000, 500000, 100000, 20000, 6000,
                               1500,    500,     200,    64,     24};

TEST(PhasesOfDifferentSizes, NeedLittleMoreThanWhatIsInUse) {
  for (const size_t *sizes : {kRising, kFalling}) {
    const support::Outcome outcome = support::in_child([sizes] {
      require(peak_of_phases(sizes, std::size(kRising)) <= 255 * MiB,
              "the peak is at most 255 MiB");
    });
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  }
}

bool overcommits_always() {
  char mode = 0;
  const int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  const bool is_read = file >= 0 && read(file, &mode, 1) == 1;
  if (file >= 0) close(file);
  return is_read && mode == '1';
}

TEST(MoreThanTheMachineHas, IsRefused) {
  if (overcommits_always()) GTEST_SKIP() << "this system promises any amount of memory";
  for (const size_t bytes : {4096 * GiB, 16384 * GiB}) {
    errno = 0;
    EXPECT_EQ(opaque(std::malloc(bytes)), nullptr) << bytes;
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(opaque(std::calloc(bytes / 4096, 4096)), nullptr) << bytes;
    EXPECT_EQ(opaque(std::aligned_alloc(4096, bytes)), nullptr) << bytes;
    void *block = std::malloc(3 * MiB);
    EXPECT_EQ(opaque(std::realloc(block, bytes)), nullptr) << bytes;
    std::free(block);
  }
}

// A program that needs hardly anything starts where hardly anything may be mapped.
TEST(LimitedAddresses, LetAProgramStart) {
  const support::Outcome outcome = support::in_child([] {
    limit(RLIMIT_AS, 14000 * KiB);
    execl("/bin/true", "true", static_cast<char *>(nullptr));
    require(false, "the program is there");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_EQ(outcome.error, "") << "the loader could not load the library, and said so";
}

} // namespace
