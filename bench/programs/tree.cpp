// A balanced search tree of small nodes with values of their own: filled in random order, looked up
// at random, thinned and refilled, walked in order.
#include "common/aged.hpp"
#include "common/checksum.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <memory>

using bench::Checksum;
using bench::Random;

namespace {

struct Settings {
  std::uint64_t keys = 300'000;
  std::uint64_t lookups = 1'000'000;
  std::uint64_t rounds = 2;
  std::uint64_t aged = 0;
  std::uint64_t seed = 1;
  bool times = false;
};

struct Value {
  std::uint64_t count;
  std::uint64_t sum;
};

using Tree = std::map<std::uint64_t, std::unique_ptr<Value>>;

void insert(Tree &tree, Random &random, std::uint64_t range) {
  const std::uint64_t key = random.below(range);
  auto &value = tree[key];
  if (value == nullptr) value = std::make_unique<Value>(Value{0, key});
  ++value->count;
}

void look_up(const Tree &tree, Random &random, std::uint64_t range, Checksum &sum) {
  const auto found = tree.lower_bound(random.below(range));
  if (found != tree.end()) sum.add(found->second->sum + found->second->count);
}

void erase(Tree &tree, Random &random, std::uint64_t range) {
  const auto found = tree.lower_bound(random.below(range));
  if (found != tree.end()) tree.erase(found);
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("tree", "Fills, looks up, thins and walks a balanced search tree.");
  options.number("keys", settings.keys, {1, 1'000'000'000}, "insertions to fill the tree");
  options.number("lookups", settings.lookups, {0, 10'000'000'000}, "look-ups a round");
  options.number("rounds", settings.rounds, {0, 1'000'000}, "rounds of look-ups and replacement");
  options.number("aged", settings.aged, {0, bench::AgedHeap::kMostBytes}, bench::AgedHeap::kHelp);
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the keys");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  const bench::AgedHeap aged(settings.aged, settings.seed);
  bench::Phases phases(settings.times);
  Random random(settings.seed);
  const std::uint64_t range = settings.keys * 4;
  Tree tree;
  Checksum sum;
  phases.begin("fill");
  for (std::uint64_t i = 0; i < settings.keys; ++i) insert(tree, random, range);
  for (std::uint64_t round = 0; round < settings.rounds; ++round) {
    phases.begin("look up");
    for (std::uint64_t i = 0; i < settings.lookups; ++i) look_up(tree, random, range, sum);
    phases.begin("replace");
    for (std::uint64_t i = 0; i < settings.keys / 2; ++i) {
      erase(tree, random, range);
      insert(tree, random, range);
    }
    phases.begin("walk");
    for (const auto &[key, value] : tree) sum.add(key ^ value->count);
  }
  phases.begin("free");
  const std::size_t nodes = tree.size();
  tree.clear();
  std::printf("keys %" PRIu64 " nodes %zu checksum %016" PRIx64 "\n", settings.keys, nodes,
              sum.value());
}
