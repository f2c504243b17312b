// Out of memory: null and ENOMEM or bad_alloc, never a crash; and all is well again once something
// is freed.
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/process_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <new>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using support::opaque;
using support::require;

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kLimit = 256 * kMebibyte;

void limit_address_space(std::size_t bytes) {
  const rlimit limit{bytes, bytes};
  require(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit works");
}

// Lets the process have `kLimit` more than it has now, without what tests before it have left free.
void limit_growth() {
  malloc_trim(0);
  limit_address_space(support::mapped_bytes() + kLimit);
}

// Blocks threaded through their own first bytes, so that holding them needs no other memory.
class Hoard {
public:
  // False once the heap refuses.
  bool add(void *block) {
    if (block == nullptr) return false;
    *static_cast<void **>(block) = newest_;
    newest_ = block;
    return true;
  }

  void add_until_refused(std::size_t size) {
    std::size_t taken = 0;
    errno = 0;
    while (add(std::malloc(opaque(size)))) {
      taken += size;
      require(taken < 4 * kLimit, "the limit on address space holds for the heap");
    }
    require(errno == ENOMEM, "malloc sets ENOMEM when it refuses");
    total_ += taken;
  }

  void free_all() {
    while (newest_ != nullptr) std::free(std::exchange(newest_, *static_cast<void **>(newest_)));
    total_ = 0;
  }

  [[nodiscard]] std::size_t total() const { return total_; }

private:
  void *newest_ = nullptr;
  std::size_t total_ = 0;
};

class Exhaustion : public testing::TestWithParam<std::size_t> {};

TEST_P(Exhaustion, RefusesAndRecovers) {
  const std::size_t size = GetParam();
  const support::Outcome outcome = support::in_child([size] {
    limit_growth();
    Hoard hoard;
    for (int round = 0; round < 2; ++round) {
      hoard.add_until_refused(size);
      // A block of 16 bytes may cost 32.
      require(hoard.total() > kLimit / 3, "more than a third of the limit can be used");
      require(std::calloc(size, 4 * kLimit / size) == nullptr, "calloc refuses too");
      require(aligned_alloc(64, 2 * kLimit) == nullptr, "aligned_alloc refuses too");
      require(::operator new(opaque(2 * kLimit), std::nothrow) == nullptr,
              "nothrow new refuses too");
      hoard.free_all();
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

INSTANTIATE_TEST_SUITE_P(OutOfMemory, Exhaustion,
                         testing::Values(16, 100, 1000, 20'000, 300'000, 8 * kMebibyte));

TEST(OutOfMemory, MemoryFreedInOneSizeServesEveryOther) {
  const support::Outcome outcome = support::in_child([] {
    limit_growth();
    Hoard hoard;
    for (const std::size_t size :
         {std::size_t{64}, 50 * kMebibyte, std::size_t{3000}, 8 * kMebibyte, std::size_t{200},
          90 * kMebibyte, std::size_t{40'000}}) {
      hoard.add_until_refused(size);
      require(hoard.total() >= std::max(kLimit / 3, size), "freed memory can be used again");
      hoard.free_all();
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(OutOfMemory, ABlockIsMadeShorterAllTheSame) {
  const support::Outcome outcome = support::in_child([] {
    Hoard hoard; // the first blocks of a size may lie elsewhere than later ones
    for (int i = 0; i < 200; ++i) require(hoard.add(std::malloc(opaque(1000))), "malloc");
    auto *kept = static_cast<char *>(std::malloc(opaque(1000)));
    std::memset(kept, 7, 1000);
    limit_growth();
    hoard.add_until_refused(100);
    kept = static_cast<char *>(std::realloc(opaque(kept), 100));
    require(kept != nullptr, "it can stay where it is");
    for (std::size_t i = 0; i < 100; ++i) require(kept[i] == 7, "its contents are kept");
    std::free(kept);
    hoard.free_all();
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(OutOfMemory, EveryCallRefusesAndReallocKeepsTheBlock) {
  const support::Outcome outcome = support::in_child([] {
    auto *kept = static_cast<char *>(std::malloc(kMebibyte));
    std::memset(kept, 7, kMebibyte);
    limit_growth();
    const std::size_t size = opaque(2 * kLimit);
    void *stored = nullptr;
    for (int round = 0; round < 100; ++round) {
      require(std::malloc(size) == nullptr && errno == ENOMEM, "malloc");
      errno = 0;
      require(std::calloc(size, 1) == nullptr && errno == ENOMEM, "calloc");
      errno = 0;
      require(std::realloc(opaque(kept), size) == nullptr && errno == ENOMEM, "realloc");
      errno = 0;
      require(memalign(1024, size) == nullptr && errno == ENOMEM, "memalign");
      require(posix_memalign(&stored, 1024, size) == ENOMEM, "posix_memalign");
      errno = 0;
      require(valloc(size) == nullptr && errno == ENOMEM, "valloc");
      errno = 0;
      require(pvalloc(size) == nullptr && errno == ENOMEM, "pvalloc");
      errno = 0;
    }
    for (std::size_t i = 0; i < kMebibyte; ++i)
      require(kept[i] == 7, "a failed realloc keeps the contents");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(OutOfMemory, NewThrowsAndTheProgramGoesOn) {
  const support::Outcome outcome = support::in_child([] {
    limit_growth();
    for (int round = 0; round < 2; ++round) {
      std::vector<std::vector<char>> vectors;
      bool thrown = false;
      try {
        for (int i = 0; i < 4096; ++i) vectors.emplace_back(kMebibyte);
      } catch (const std::bad_alloc &) {
        thrown = true;
      }
      require(thrown, "bad_alloc is thrown");
      require(vectors.size() > 100, "more than 100 of 256 MiB could be used");
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(OutOfMemory, IsSurvivedByManyThreadsAtOnce) {
  const support::Outcome outcome = support::in_child([] {
    constexpr std::size_t count = 8;
    std::barrier all_ready(count + 1);
    std::barrier all_refused(count);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t)
      threads.emplace_back([&, t] {
        Hoard hoard;
        all_ready.arrive_and_wait();
        all_ready.arrive_and_wait();
        for (int round = 0; round < 2; ++round) {
          hoard.add_until_refused(t % 2 == 0 ? 50 + t * 40 : 5000 * t);
          all_refused.arrive_and_wait();
          hoard.free_all();
          all_refused.arrive_and_wait();
          require(hoard.add(std::malloc(opaque(std::size_t{5000}))), "works again when all freed");
          hoard.free_all();
          all_refused.arrive_and_wait();
        }
      });
    all_ready.arrive_and_wait();
    limit_growth();
    all_ready.arrive_and_wait();
    for (std::thread &thread : threads) thread.join();
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

class StartUp : public testing::TestWithParam<std::size_t> {};

TEST_P(StartUp, WorksUnderALimitSetBeforeTheProgramBegins) {
  const std::size_t mebibytes = GetParam();
  const support::Outcome outcome = support::in_child([mebibytes] {
    limit_address_space(mebibytes * kMebibyte);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    execl("/proc/self/exe", "conformance",
          "--gtest_filter=Malloc.AlignsMany*:Reallocarray.*:Realloc.Leaves*", nullptr);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

INSTANTIATE_TEST_SUITE_P(OutOfMemory, StartUp, testing::Values(64, 512, 4096));

} // namespace
