// A thread's last moments: destructors of thread_local objects and of pthread keys, which allocate,
// free, and pass blocks on, before and after the heap's own clean-up has run.
#include "stress/block.hpp"
#include "support/process_memory.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <limits.h>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using stress::Block;

namespace {

std::atomic<int> damaged{0};
std::atomic<int> destructions{0};

void check_and_release(Block block) {
  damaged += block.intact() ? 0 : 1;
  block.release();
}

class ThreadExit : public testing::Test {
protected:
  void SetUp() override {
    damaged = 0;
    destructions = 0;
  }
};

struct AllocatesWhenDestroyed {
  std::vector<std::string> words = std::vector<std::string>(20, std::string(100, 'w'));
  Block block = Block::make(3000, 1);

  ~AllocatesWhenDestroyed() {
    std::vector<std::string> copy = words;
    copy.resize(200, std::string(50, 'x'));
    check_and_release(block);
    check_and_release(Block::make(500, 2));
    ++destructions;
  }
};

TEST_F(ThreadExit, ThreadLocalObjectsAllocateInTheirDestructors) {
  for (int i = 0; i < 1000; ++i)
    std::thread([] {
      thread_local AllocatesWhenDestroyed object;
      object.words.emplace_back("touched");
    }).join();
  EXPECT_EQ(destructions, 1000);
  EXPECT_EQ(damaged, 0);
}

pthread_key_t late_key;

// Sets its key again, so that it runs as often as POSIX allows: the last time, every other
// destructor is done.
void reallocate_and_return(void *value) {
  auto *count = static_cast<int *>(std::realloc(value, 2000));
  Block passing = Block::make(700, 3);
  check_and_release(passing);
  ++destructions;
  if (++*count < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(late_key, count);
  else
    std::free(count);
}

TEST_F(ThreadExit, KeysAllocateInTheLastRoundOfDestructors) {
  ASSERT_EQ(pthread_key_create(&late_key, reallocate_and_return), 0);
  for (int i = 0; i < 2000; ++i)
    std::thread([] {
      pthread_setspecific(late_key, std::calloc(1, sizeof(int)));
      check_and_release(Block::make(100, 4));
    }).join();
  EXPECT_EQ(destructions, 2000 * PTHREAD_DESTRUCTOR_ITERATIONS);
  EXPECT_EQ(damaged, 0);
  pthread_key_delete(late_key);
}

TEST_F(ThreadExit, LateDestructorsStrandNoMemory) {
  ASSERT_EQ(pthread_key_create(&late_key, reallocate_and_return), 0);
  const auto die = [] { pthread_setspecific(late_key, std::calloc(1, sizeof(int))); };
  for (int i = 0; i < 500; ++i) std::thread(die).join();
  const std::size_t settled = support::resident_bytes();
  for (int i = 0; i < 20'000; ++i) std::thread(die).join();
  EXPECT_LT(support::resident_bytes(), settled + (std::size_t{4} << 20));
  pthread_key_delete(late_key);
}

// Its only allocations are in its destructors: the heap meets the thread for the first time as it
// ends.
TEST_F(ThreadExit, AThreadMayAllocateForTheFirstTimeAsItEnds) {
  static int value = 0;
  pthread_key_t key{};
  ASSERT_EQ(pthread_key_create(&key, [](void *) { check_and_release(Block::make(999, 5)); }), 0);
  for (int i = 0; i < 1000; ++i) {
    pthread_t thread{};
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void *argument) -> void * {
                    pthread_setspecific(*static_cast<pthread_key_t *>(argument), &value);
                    return nullptr;
                  },
                  &key),
              0);
    pthread_join(thread, nullptr);
  }
  EXPECT_EQ(damaged, 0);
  pthread_key_delete(key);
}

TEST_F(ThreadExit, ManyKeysPassBlocksToTheProgram) {
  static std::atomic<void *> last_words{nullptr};
  std::array<pthread_key_t, 50> keys{};
  for (pthread_key_t &key : keys)
    ASSERT_EQ(pthread_key_create(&key,
                                 [](void *value) {
                                   std::free(value);
                                   std::free(last_words.exchange(std::malloc(300)));
                                 }),
              0);
  for (int i = 0; i < 300; ++i)
    std::thread([&keys] {
      for (const pthread_key_t key : keys) pthread_setspecific(key, std::malloc(64));
    }).join();
  std::free(last_words.exchange(nullptr));
  for (const pthread_key_t key : keys) pthread_key_delete(key);
}

TEST_F(ThreadExit, ByPthreadExitAndByCancellation) {
  for (int i = 0; i < 500; ++i) {
    std::thread([] {
      thread_local AllocatesWhenDestroyed object;
      object.words.emplace_back("touched");
      pthread_exit(nullptr);
    }).join();
    std::thread sleeper([] {
      thread_local AllocatesWhenDestroyed object;
      object.words.emplace_back("touched");
      for (;;) pause();
    });
    pthread_cancel(sleeper.native_handle());
    sleeper.join();
  }
  EXPECT_GE(destructions, 500);
  EXPECT_EQ(damaged, 0);
}

TEST_F(ThreadExit, DetachedThreadsMayOutliveMain) {
  // They end, or do not, while other tests run and while the process exits: all that counts is that
  // nothing breaks.
  for (int i = 0; i < 200; ++i)
    std::thread([] {
      for (int turn = 0; turn < 1000; ++turn)
        check_and_release(Block::make(static_cast<std::size_t>(turn % 300 + 1), 6));
    }).detach();
  SUCCEED();
}

} // namespace
