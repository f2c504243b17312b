// A program that has all keys of thread-specific data there are, as POSIX promises it, while threads allocate, end, and
// allocate as they end. It needs all keys for itself, so that no test framework can be in it.
#include "stress/block.hpp"
#include "support/child.hpp"
#include "support/process_memory.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <memory>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

using stress::Block;
using support::require;

namespace {

constexpr std::size_t kKeys = PTHREAD_KEYS_MAX;
std::array<pthread_key_t, kKeys> keys;
std::atomic<long> destructions{0};

void use(std::size_t size) {
  Block block = Block::make(size, size);
  require(block.intact(), "a block is as it was written");
  block.release();
}

// The destructor of every key: allocates and frees, others' blocks and its own.
void end_value(void *value) {
  use(300);
  std::free(value);
  use(3000);
  ++destructions;
}

void create_keys() {
  for (pthread_key_t &key : keys)
    require(pthread_key_create(&key, end_value) == 0, "every key can be had");
  pthread_key_t another{};
  require(pthread_key_create(&another, nullptr) == EAGAIN, "there are no more keys than that");
}

void delete_keys() {
  for (const pthread_key_t key : keys) require(pthread_key_delete(key) == 0, "a key is there");
}

void find_no_value() {
  for (const pthread_key_t key : keys)
    require(pthread_getspecific(key) == nullptr, "a new key has no value");
}

void set_every_value() {
  for (const pthread_key_t key : keys)
    require(pthread_setspecific(key, std::malloc(40)) == 0, "a key takes a value");
}

// Threads that have allocated before the program takes the keys, and that go on after it.
void take_keys_while_threads_live() {
  constexpr int kThreads = 6;
  std::barrier gate(kThreads + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&gate] {
      Block kept = Block::make(5000, 7);
      gate.arrive_and_wait();
      gate.arrive_and_wait();
      find_no_value();
      set_every_value();
      require(kept.intact(), "a block outlives the taking of keys");
      kept.release();
    });
  gate.arrive_and_wait();
  create_keys();
  find_no_value();
  gate.arrive_and_wait();
  for (std::thread &thread : threads) thread.join();
  require(destructions == kThreads * static_cast<long>(kKeys), "every value is destroyed once");
}

// Allocates when it is destroyed, before the destructors of keys.
struct Late {
  std::vector<std::string> words = std::vector<std::string>(20, std::string(100, 'w'));
  ~Late() {
    std::vector<std::string> copy = words;
    copy.resize(60, std::string(50, 'x'));
    use(700);
  }
};

// A thread that allocates in all its phases; every second one ends by pthread_exit.
void live_and_end(int number) {
  thread_local Late late;
  late.words.emplace_back("touched");
  use(200);
  for (std::size_t i = 0; i < 3; ++i) pthread_setspecific(keys[i * 500], std::malloc(64));
  if (number % 2 == 0) pthread_exit(nullptr);
}

void churn(int threads) {
  for (int i = 0; i < threads; ++i) std::thread(live_and_end, i).join();
}

void grow_by_no_thread() {
  churn(500);
  const std::size_t settled = support::resident_bytes();
  destructions = 0;
  churn(20'000);
  require(destructions == 3 * 20'000, "the destructors of all threads have run");
  require(support::resident_bytes() < settled + (std::size_t{4} << 20), "threads leave no memory");
}

} // namespace

int main() {
  for (int i = 0; i < 100; ++i) std::thread([] { use(100); }).join();
  take_keys_while_threads_live();
  grow_by_no_thread();
  delete_keys();
  create_keys();
  find_no_value();
  std::thread(find_no_value).join();
  grow_by_no_thread();
  std::puts("every key was the program's");
  return 0;
}
