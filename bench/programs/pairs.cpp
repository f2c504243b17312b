// Nothing but pairs of malloc and free, in bursts: so many blocks of one size are allocated, then
// freed in order, in reverse or shuffled. For counting instructions: it prints nothing.
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
  options.choice("order", settings.order, {"forward", "reverse", "shuffled"}, "of the frees");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the shuffled order");
  options.parse(argc, argv);
  return settings;
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
  for (std::uint64_t left = settings.burst > 1 ? settings.pairs / settings.burst : 0; left > 0;
       --left) {
    for (std::uint64_t i = 0; i < settings.burst; ++i)
      blocks[i] = bench::allocate_bytes(settings.size);
    for (std::uint64_t i = 0; i < settings.burst; ++i) std::free(blocks[order[i]]);
  }
  // One at a time: nothing round the pair but the loop.
  for (std::uint64_t left = settings.burst == 1 ? settings.pairs : 0; left > 0; --left) {
    void *volatile block = bench::allocate_bytes(settings.size);
    std::free(block);
  }
  std::free(order);
  std::free(blocks);
}
