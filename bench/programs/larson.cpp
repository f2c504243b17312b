// A server whose threads hand their work on (Larson and Krishnan). Each array of blocks is worked
// on by one thread, which replaces random blocks, and is then handed to another: blocks are freed
// by threads that did not allocate them, for some of which the owner has ended.
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <barrier>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

using bench::Checksum;
using bench::Random;

namespace {

struct Settings {
  std::uint64_t threads = 2;
  std::uint64_t rounds = 20;
  std::uint64_t blocks = 10'000;
  std::uint64_t replaced = 100'000;
  std::uint64_t low = 16;
  std::uint64_t high = 512;
  std::uint64_t seed = 1;
  std::string_view style = "relay";
  bool times = false;
};

// The random state travels with the blocks: what happens to a stall does not depend on which
// thread has it, or when.
class Stall {
public:
  Stall(const Settings &settings, std::uint64_t number)
      : settings_(settings), random_(settings.seed + number * 7919), blocks_(settings.blocks) {
    for (unsigned char *&block : blocks_) block = make();
  }

  ~Stall() {
    for (unsigned char *block : blocks_) std::free(block);
  }

  Stall(const Stall &) = delete;
  Stall &operator=(const Stall &) = delete;

  void replace() {
    for (std::uint64_t i = 0; i < settings_.replaced; ++i) {
      unsigned char *&block = blocks_[random_.below(blocks_.size())];
      sum_.add(block[0]);
      std::free(block);
      block = make();
    }
  }

  std::uint64_t sum() const { return sum_.value(); }

private:
  unsigned char *make() {
    const std::uint64_t size = random_.between(settings_.low, settings_.high);
    auto *block = bench::allocate_array<unsigned char>(size);
    block[0] = static_cast<unsigned char>(size);
    block[size - 1] = block[0];
    return block;
  }

  const Settings &settings_;
  Random random_;
  Checksum sum_;
  std::vector<unsigned char *> blocks_;
};

using Stalls = std::vector<std::unique_ptr<Stall>>;

// Every round a thread ends and a new one takes over its stall, as Larson's server does.
void relay(const Settings &settings, Stalls &stalls) {
  for (std::uint64_t round = 0; round < settings.rounds; ++round) {
    std::vector<std::thread> threads;
    for (auto &stall : stalls) threads.emplace_back([&stall] { stall->replace(); });
    for (std::thread &thread : threads) thread.join();
  }
}

// The threads live on and pass their stalls round, so that the blocks' owners are at work
// themselves while others free what they allocated.
void rotate(const Settings &settings, Stalls &stalls) {
  std::barrier round_over(static_cast<std::ptrdiff_t>(stalls.size()));
  std::vector<std::thread> threads;
  for (std::size_t mine = 0; mine < stalls.size(); ++mine)
    threads.emplace_back([&, mine] {
      for (std::uint64_t round = 0; round < settings.rounds; ++round) {
        stalls[(mine + round) % stalls.size()]->replace();
        round_over.arrive_and_wait();
      }
    });
  for (std::thread &thread : threads) thread.join();
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("larson", "Threads replace random blocks and hand them to one another.");
  options.number("threads", settings.threads, {1, 1024}, "threads at a time");
  options.number("rounds", settings.rounds, {1, 1'000'000}, "times that blocks change hands");
  options.number("blocks", settings.blocks, {1, 100'000'000}, "blocks a thread holds");
  options.number("replaced", settings.replaced, {0, 1'000'000'000}, "blocks replaced a round");
  options.number("low", settings.low, {1, 1 << 30}, "least size");
  options.number("high", settings.high, {1, 1 << 30}, "greatest size");
  options.choice("style", settings.style, {"relay", "rotate"}, "to a new thread, or to a live one");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of sizes and choices");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  if (settings.high < settings.low)
    options.fail("high", std::to_string(settings.high), "it must not be below --low");
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  bench::Phases phases(settings.times);
  phases.begin("fill");
  Stalls stalls;
  for (std::uint64_t i = 0; i < settings.threads; ++i)
    stalls.push_back(std::make_unique<Stall>(settings, i));
  phases.begin(settings.style == "relay" ? "relay" : "rotate");
  if (settings.style == "relay")
    relay(settings, stalls);
  else
    rotate(settings, stalls);
  phases.begin("free");
  Checksum sum;
  for (const auto &stall : stalls) sum.add(stall->sum());
  stalls.clear();
  std::printf("threads %" PRIu64 " rounds %" PRIu64 " checksum %016" PRIx64 "\n", settings.threads,
              settings.rounds, sum.value());
}
