// The plainest uses of a heap: one structure of one size of node, built, walked and freed, alone or
// with what real programs allocate in between, in a fresh heap or in an aged one.
#include "common/aged.hpp"
#include "common/checksum.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "shapes.hpp"

#include <cinttypes>
#include <cstdio>

namespace {

struct Settings {
  plain::Making making;
  std::string_view shape = "list";
  std::string_view order = "walk";
  std::uint64_t nodes = 300'000;
  std::uint64_t walks = 10;
  std::uint64_t aged = 0;
  std::uint64_t freed = 50;
  std::uint64_t seed = 1;
  bool times = false;
};

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("plain", "One structure, built, walked and freed.");
  options.choice("shape", settings.shape, {"list", "tree", "document", "hash", "vector"},
                 "what is built");
  options.number("size", settings.making.size, {sizeof(plain::Node), 4096}, "bytes of a node");
  options.choice("order", settings.order, {"walk", "random"}, "the order in which it is built");
  options.number("others", settings.making.others, {0, plain::kKinds},
                 "kinds of other blocks born with each node");
  options.flag("hot", settings.making.hot, "the walk reads those, too");
  options.flag("temporaries", settings.making.temporaries, "short-lived blocks while building");
  options.number("nodes", settings.nodes, {1, 1'000'000'000}, "how many");
  options.number("walks", settings.walks, {0, 1'000'000}, "times it is walked");
  options.number("aged", settings.aged, {0, bench::AgedHeap::kMostBytes},
                 "bytes of litter to allocate first");
  options.number("freed", settings.freed, {0, 100}, "per cent of the litter freed again");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of sizes and choices");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  if (settings.making.others != 0 && settings.making.size < plain::kLeastWithParts)
    options.fail("size", "24", "a node with --others has room for a pointer: 32 or more");
  if (settings.making.hot && settings.making.others == 0)
    options.fail("others", "0", "--hot reads other blocks: give 1 or more");
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  bench::Phases phases(settings.times);
  phases.begin("age");
  const bench::AgedHeap aged(settings.aged, settings.seed, settings.freed);
  bench::Random random(settings.seed);
  plain::Maker maker(settings.making, settings.seed);
  const auto shape = plain::make_shape(settings.shape, maker);
  phases.begin("build");
  shape->build(settings.nodes, settings.order == "random", random);
  phases.begin("walk");
  bench::Checksum sum;
  for (std::uint64_t i = 0; i < settings.walks; ++i) sum.add(shape->walk());
  phases.begin("free");
  shape->free();
  std::printf("nodes %" PRIu64 " walks %" PRIu64 " checksum %016" PRIx64 "\n", settings.nodes,
              settings.walks, sum.value());
}
