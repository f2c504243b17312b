// malloc and its kin are no cancellation points: POSIX does not list them, and a thread that ended in the midst of one
// would leave a lock held, a block lost or a file open.
#include "conformance/sizes.hpp"
#include "support/allocator.hpp"
#include "support/child.hpp"
#include "support/opaque.hpp"

#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <string>
#include <unistd.h>

using support::opaque;
using support::require;

namespace {

int count_descriptors() {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

struct Task {
  const std::function<void()> *body;
  bool done = false;
};

void *run_while_cancelled(void *argument) {
  auto *task = static_cast<Task *>(argument);
  pthread_cancel(pthread_self()); // deferred: it is heard at the next cancellation point
  (*task->body)();
  task->done = true;
  pthread_testcancel();
  return nullptr;
}

// Calls `body` in a thread that has been cancelled and has not heard of it yet; whether all of it was done.
bool survives_cancellation(const std::function<void()> &body) {
  Task task{&body};
  pthread_t thread{};
  require(pthread_create(&thread, nullptr, run_while_cancelled, &task) == 0, "a thread starts");
  void *result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, PTHREAD_CANCELED) << "the thread is cancelled afterwards";
  return task.done;
}

TEST(Cancellation, IsNotHeardByAllocationAndFree) {
  const std::vector<std::size_t> sizes = conformance::telling_sizes(std::size_t{8} << 20);
  EXPECT_TRUE(survives_cancellation([&sizes] {
    for (const std::size_t size : sizes) {
      std::free(std::malloc(size));
      std::free(std::calloc(1, size));
      std::free(std::realloc(std::malloc(size), opaque(size * 2)));
      std::free(reallocarray(std::calloc(3, size), 2, size));
      std::free(aligned_alloc(64, size));
      std::free(memalign(8192, size));
      std::free(valloc(size));
      void *block = nullptr;
      require(posix_memalign(&block, 256, size) == 0, "posix_memalign");
      require(malloc_usable_size(block) >= size, "malloc_usable_size");
      std::free(block);
      ::operator delete(::operator new(size));
    }
  }));
}

TEST(Cancellation, IsNotHeardByMuchThatIsKeptAndFreed) {
  EXPECT_TRUE(survives_cancellation([] {
    std::vector<void *> blocks(300'000);
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = std::malloc(i % 700 + 1);
    for (void *block : blocks) std::free(block);
  }));
}

TEST(Cancellation, IsNotHeardByRefusals) {
  EXPECT_TRUE(survives_cancellation([] {
    void *kept = std::malloc(100);
    for (int round = 0; round < 100; ++round) {
      require(std::malloc(opaque(SIZE_MAX - 100)) == nullptr, "malloc");
      require(std::realloc(opaque(kept), opaque(SIZE_MAX - 100)) == nullptr, "realloc");
      require(memalign(64, opaque(SIZE_MAX - 100)) == nullptr, "memalign");
    }
    std::free(kept);
  }));
}

TEST(Cancellation, IsNotHeardByStatisticsAndTrimming) {
  const int before = count_descriptors();
  EXPECT_TRUE(survives_cancellation([] {
    for (int round = 0; round < 50; ++round) {
      std::free(std::malloc(opaque(std::size_t{1} << (round % 24))));
      malloc_trim(0);
      require(mallinfo2().uordblks + mallinfo2().hblkhd > 0, "mallinfo2");
      mallopt(M_MXFAST, 64);
    }
  }));
  EXPECT_EQ(count_descriptors(), before);
}

// What is printed goes to files, whose functions are cancellation points; the GNU C library's own malloc_info is one.
TEST(Cancellation, IsNotHeardByWhatPrints) {
  if (!support::runs_under_abut()) GTEST_SKIP() << "the library is not preloaded";
  const support::Outcome outcome = support::in_child([] {
    const int before = count_descriptors();
    std::FILE *nowhere = std::fopen("/dev/null", "w");
    std::setvbuf(nowhere, nullptr, _IONBF, 0);
    const bool survived = survives_cancellation([nowhere] {
      for (int round = 0; round < 20; ++round) {
        malloc_stats();
        require(malloc_info(0, nowhere) == 0, "malloc_info");
      }
    });
    std::fclose(nowhere);
    require(survived, "the thread goes on while it prints");
    require(count_descriptors() == before, "no file is left open");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text().substr(0, 500);
}

TEST(Cancellation, IsAllowedAgainAfterMallocInfo) {
  std::FILE *nowhere = std::fopen("/dev/null", "w");
  int before = 0;
  for (const int state : {PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DISABLE}) {
    pthread_setcancelstate(state, nullptr);
    EXPECT_EQ(malloc_info(0, nowhere), 0);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    EXPECT_EQ(before, state);
  }
  std::fclose(nowhere);
}

} // namespace
