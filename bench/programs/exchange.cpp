// Every thread allocates batches of blocks and frees the batches of others, through one queue: each
// is producer and consumer at a time, as in servers whose requests wander from worker to worker.
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/random.hpp"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <deque>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Settings {
  std::uint64_t threads = 2;
  std::uint64_t turns = 4'000;
  std::uint64_t batch = 1'000;
  std::uint64_t low = 16;
  std::uint64_t high = 512;
  std::uint64_t seed = 1;
};

struct Block {
  Block *next;
  std::uint64_t value;
};

class Queue {
public:
  void push(Block *batch) {
    const std::scoped_lock lock(mutex_);
    batches_.push_back(batch);
  }

  Block *pop() {
    const std::scoped_lock lock(mutex_);
    Block *batch = batches_.front();
    batches_.pop_front();
    return batch;
  }

private:
  std::mutex mutex_;
  std::deque<Block *> batches_;
};

Block *make_batch(const Settings &settings, bench::Random &random) {
  Block *batch = nullptr;
  for (std::uint64_t i = 0; i < settings.batch; ++i) {
    const std::uint64_t size = random.between(settings.low, settings.high);
    batch = new (bench::allocate_bytes(size)) Block{batch, size};
  }
  return batch;
}

// Who frees a batch differs from run to run; the sum of all that was freed does not.
std::uint64_t free_batch(Block *batch) {
  std::uint64_t sum = 0;
  while (batch != nullptr) {
    Block *next = batch->next;
    sum += batch->value;
    std::free(batch);
    batch = next;
  }
  return sum;
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("exchange", "Threads allocate batches and free one another's.");
  options.number("threads", settings.threads, {1, 1024}, "threads");
  options.number("turns", settings.turns, {1, 1'000'000'000}, "batches a thread");
  options.number("batch", settings.batch, {1, 1'000'000}, "blocks in a batch");
  options.number("low", settings.low, {sizeof(Block), 1 << 30}, "least size");
  options.number("high", settings.high, {sizeof(Block), 1 << 30}, "greatest size");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the sizes");
  options.parse(argc, argv);
  if (settings.high < settings.low)
    options.fail("high", std::to_string(settings.high), "it must not be below --low");
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  Queue queue;
  // Batches lie in the queue from the start, so that a thread never gets its own back at once.
  bench::Random first(settings.seed);
  for (std::uint64_t i = 0; i < settings.threads; ++i) queue.push(make_batch(settings, first));
  std::atomic<std::uint64_t> sum{0};
  std::vector<std::thread> threads;
  for (std::uint64_t mine = 0; mine < settings.threads; ++mine)
    threads.emplace_back([&, mine] {
      bench::Random random(settings.seed + 1 + mine);
      std::uint64_t freed = 0;
      for (std::uint64_t turn = 0; turn < settings.turns; ++turn) {
        queue.push(make_batch(settings, random));
        freed += free_batch(queue.pop());
      }
      sum += freed;
    });
  for (std::thread &thread : threads) thread.join();
  for (std::uint64_t i = 0; i < settings.threads; ++i) sum += free_batch(queue.pop());
  std::printf("threads %" PRIu64 " turns %" PRIu64 " freed %" PRIu64 "\n", settings.threads,
              settings.turns, sum.load());
}
