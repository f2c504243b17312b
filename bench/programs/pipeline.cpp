// Producers allocate messages, consumers read and free them: every block is freed by a thread that
// never allocates. A heap that leaves such blocks with their freer grows without end, one that
// returns them one by one pays for every message.
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <array>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

using bench::Checksum;
using bench::Random;

namespace {

struct Settings {
  std::uint64_t pairs = 1;
  std::uint64_t messages = 2'000'000;
  std::uint64_t depth = 64;
  std::uint64_t seed = 1;
  bool times = false;
};

struct Message {
  std::uint64_t size;
  char *body; // allocated apart, as a parsed request's would be
};

// Messages travel in batches, so that the lock's cost does not hide the heap's.
constexpr std::size_t kBatchSize = 64;
struct Batch {
  std::array<Message *, kBatchSize> messages;
  std::size_t count = 0;
};

class Queue {
public:
  explicit Queue(std::size_t depth) : depth_(depth) {}

  void push(const Batch &batch) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return batches_.size() < depth_; });
    batches_.push_back(batch);
    not_empty_.notify_one();
  }

  Batch pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return !batches_.empty(); });
    const Batch batch = batches_.front();
    batches_.pop_front();
    not_full_.notify_one();
    return batch;
  }

private:
  const std::size_t depth_;
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::deque<Batch> batches_;
};

Message *make_message(Random &random) {
  auto *message = bench::allocate<Message>();
  const std::uint64_t exponent = random.between(4, 10);
  message->size = random.between(std::uint64_t{1} << exponent, std::uint64_t{2} << exponent);
  message->body = bench::allocate_array<char>(message->size);
  std::memset(message->body, static_cast<int>(message->size), message->size);
  return message;
}

void produce(const Settings &settings, std::uint64_t seed, Queue &queue) {
  Random random(seed);
  Batch batch;
  for (std::uint64_t i = 0; i < settings.messages; ++i) {
    batch.messages.at(batch.count++) = make_message(random);
    if (batch.count == kBatchSize) {
      queue.push(batch);
      batch.count = 0;
    }
  }
  queue.push(batch);
  if (batch.count != 0) queue.push(Batch{}); // an empty batch ends the stream
}

Checksum consume(Queue &queue) {
  Checksum sum; // each thread's on its own stack: beside each other, they would share lines
  for (Batch batch = queue.pop(); batch.count != 0; batch = queue.pop()) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      Message *message = batch.messages.at(i);
      sum.add(message->size + static_cast<unsigned char>(message->body[message->size / 2]));
      std::free(message->body);
      std::free(message);
    }
  }
  return sum;
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("pipeline", "Producers allocate messages that consumers free.");
  options.number("pairs", settings.pairs, {1, 512}, "pairs of a producer and a consumer");
  options.number("messages", settings.messages, {0, 10'000'000'000}, "messages a pair");
  options.number("depth", settings.depth, {1, 1'000'000}, "batches of 64 messages in a queue");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the sizes");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  bench::Phases phases(settings.times);
  phases.begin("run");
  std::deque<Queue> queues;
  std::vector<Checksum> sums(settings.pairs);
  std::vector<std::thread> threads;
  for (std::uint64_t pair = 0; pair < settings.pairs; ++pair) {
    Queue &queue = queues.emplace_back(settings.depth);
    threads.emplace_back([&, pair] { produce(settings, settings.seed + pair, queue); });
    threads.emplace_back([&, pair] { sums[pair] = consume(queue); });
  }
  for (std::thread &thread : threads) thread.join();
  Checksum sum;
  for (const Checksum &each : sums) sum.add(each.value());
  std::printf("pairs %" PRIu64 " messages %" PRIu64 " checksum %016" PRIx64 "\n", settings.pairs,
              settings.messages, sum.value());
}
