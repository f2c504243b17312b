// Nothing but pairs of malloc and free, in bursts: so many blocks of one size are allocated, then
// freed in order, in reverse or shuffled. Or so many are live, and one after the other, taken at
// random, is replaced. For counting instructions: it prints nothing.
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/random.hpp"

#include <algorithm>
#include <cstdint>

namespace {

struct Settings {
  std::uint64_t size = 48;
  std::uint64_t burst = 1;
  std::uint64_t pairs = 1'000'000;
  std::uint64_t seed = 1;
  std::string_view order = "forward";
};

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("pairs", "Pairs of malloc and free, in bursts.");
  options.number("size", settings.size, {1, 1 << 20}, "bytes of a block");
  options.number("burst", settings.burst, {1, 100'000'000}, "blocks allocated before any is freed");
  options.number("pairs", settings.pairs, {0, 10'000'000'000}, "pairs in all, in whole bursts");
  options.choice("order", settings.order, {"forward", "reverse", "shuffled", "replaced"},
                 "of the frees");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of what is random");
  options.parse(argc, argv);
  return settings;
}

void in_bursts(const Settings &settings, void **blocks, const std::uint64_t *order) {
  for (std::uint64_t left = settings.pairs / settings.burst; left > 0; --left) {
    for (std::uint64_t i = 0; i < settings.burst; ++i)
      blocks[i] = bench::allocate_bytes(settings.size);
    for (std::uint64_t i = 0; i < settings.burst; ++i) std::free(blocks[order[i]]);
  }
}

// Nothing round the pair but the loop.
void one_at_a_time(const Settings &settings) {
  for (std::uint64_t left = settings.pairs; left > 0; --left) {
    void *volatile block = bench::allocate_bytes(settings.size);
    std::free(block);
  }
}

void replaced(const Settings &settings, void **blocks, bench::Random &random) {
  for (std::uint64_t i = 0; i < settings.burst; ++i)
    blocks[i] = bench::allocate_bytes(settings.size);
  for (std::uint64_t left = settings.pairs; left > 0; --left) {
    void *&block = blocks[random.below(settings.burst)];
    std::free(block);
    block = bench::allocate_bytes(settings.size);
  }
  for (std::uint64_t i = 0; i < settings.burst; ++i) std::free(blocks[i]);
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  auto **blocks = bench::allocate_array<void *>(settings.burst);
  auto *order = bench::allocate_array<std::uint64_t>(settings.burst);
  for (std::uint64_t i = 0; i < settings.burst; ++i) order[i] = i;
  bench::Random random(settings.seed);
  if (settings.order == "reverse") std::reverse(order, order + settings.burst);
  if (settings.order == "shuffled") bench::shuffle(order, settings.burst, random);
  if (settings.order == "replaced")
    replaced(settings, blocks, random);
  else if (settings.burst == 1)
    one_at_a_time(settings);
  else
    in_bursts(settings, blocks, order);
  std::free(order);
  std::free(blocks);
}
