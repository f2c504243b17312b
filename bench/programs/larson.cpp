// A server whose threads hand their work on (Larson and Krishnan). Each array of blocks is worked
// on by one thread, which replaces random blocks, and is then handed to another: blocks are freed
// by threads that did not allocate them, for some of which the owner has ended.
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <barrier>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
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
  std::string_view sizes = "even";
  bool sized = false;
  bool times = false;
};

// The random state travels with the blocks: what happens to a stall does not depend on which
// thread has it, or when.
class Stall {
public:
  Stall(const Settings &settings, std::uint64_t number)
      : settings_(settings), random_(settings.seed + number * 7919), blocks_(settings.blocks) {
    for (Block &block : blocks_) block = make();
  }

  ~Stall() {
    for (const Block &block : blocks_) release(block);
  }

  Stall(const Stall &) = delete;
  Stall &operator=(const Stall &) = delete;

  void replace() {
    for (std::uint64_t i = 0; i < settings_.replaced; ++i) {
      Block &block = blocks_[random_.below(blocks_.size())];
      sum_.add(block.bytes[0]);
      release(block);
      block = make();
    }
  }

  std::uint64_t sum() const { return sum_.value(); }

private:
  struct Block {
    unsigned char *bytes;
    std::uint64_t size;
  };

  Block make() {
    const std::uint64_t size = draw_size();
    auto *bytes = settings_.sized ? static_cast<unsigned char *>(::operator new(size))
                                  : bench::allocate_array<unsigned char>(size);
    bytes[0] = static_cast<unsigned char>(size);
    bytes[size - 1] = bytes[0];
    return {bytes, size};
  }

  // Skewed: half as many of every next power of two.
  std::uint64_t draw_size() {
    if (settings_.sizes == "even") return random_.between(settings_.low, settings_.high);
    const std::uint64_t doublings = std::countr_zero(random_.next() | std::uint64_t{1} << 11);
    return random_.between(settings_.low, settings_.low << doublings);
  }

  void release(const Block &block) const {
    if (settings_.sized)
      ::operator delete(block.bytes, block.size);
    else
      std::free(block.bytes);
  }

  const Settings &settings_;
  Random random_;
  Checksum sum_;
  std::vector<Block> blocks_;
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
  options.choice(
      "sizes", settings.sizes, {"even", "skewed"},
      "from --low to --high, or fewer of each power of two from --low to 2048 times that");
  options.flag("sized", settings.sized, "operator new, and operator delete that names the size");
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
