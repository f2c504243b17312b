// DICT (Adcock 2009, 3.2.1): a search tree that is looked up at random, and after a share of the look-ups the node is
// deleted and another key inserted; under movers and strategies, or none. Prints one JSON object.
#include "abut/move/relayout.hpp"
#include "abut/move/two_space_mover.hpp"
#include "common/checksum.hpp"
#include "common/options.hpp"
#include "move/dict_perfect.hpp"
#include "move/dict_tree.hpp"
#include "move/timing.hpp"

#include <cinttypes>
#include <memory>

namespace {

using namespace abut::move; // NOLINT(google-build-using-namespace): this is what it is about
using bench::DictLinks;
using bench::DictTree;
using bench::NoSites;
using bench::Random;

// Lines of 64 bytes are fetched in pairs, so that a pair is what a cluster should fill.
constexpr Geometry kShape{128, 4096};

struct Settings {
  std::uint64_t nodes = 1'000'000;
  std::uint64_t operations = 10'000'000;
  std::uint64_t batch = 1000;
  std::uint64_t changes = 1000; // of 1000 look-ups, how many are followed by a change: s
  std::string_view variant = "node";
  std::string_view mover = "none";
  std::uint64_t percent = 200; // m
  std::uint64_t period = 0;    // operations between passes
  std::uint64_t rate =
      1000; // nodes that are looked at in 1000 operations, or look-ups of 1000 that move
  std::uint64_t threshold = 2;
  bool compacts = false;
  bool huge = false;
  std::uint64_t seed = 1;
};

template <typename Tree>
class Run {
  using Heap = typename Tree::Heap;
  using OneSpace = TreeMover<Heap, DictLinks>;
  using TwoSpace = TwoSpaceMover<Heap, DictLinks>;
  static constexpr bool kOneSpace = Heap::kNeeds == OneSpace::needs();
  static constexpr bool kTwoSpace = Heap::kNeeds == TwoSpace::needs();

public:
  explicit Run(const Settings &settings)
      : settings_(settings), tree_(settings.variant == "fields", settings.seed + 1),
        random_(settings.seed), keys_(settings.nodes),
        batches_(settings.operations, settings.batch) {
    if (settings.huge) tree_.heap().prefer_huge_pages();
    for (auto &key : keys_) {
      key = new_key();
      tree_.attach(tree_.find_gap(key), tree_.fresh_cell(), key, [](Place) {});
    }
    // Twice: once up out of the pages that it was built in, and down again, so that the others can go.
    for (int i = 0; i < 2; ++i)
      abut::move::relayout<DictLinks>(tree_.heap(), tree_.root(), Nesting::lines_in_pages);
    if constexpr (Tree::kPerfect) {
      tree_.layout().recluster({});
    } else {
      tree_.heap().bound_ratio(static_cast<double>(settings.percent) / 100);
    }
    tree_.heap().trim();
    if constexpr (kOneSpace)
      one_space_ = std::make_unique<OneSpace>(
          tree_.heap(), &tree_.root(), 1,
          OneSpaceRules{static_cast<unsigned>(settings.threshold), settings.compacts});
    if constexpr (kTwoSpace) two_space_ = std::make_unique<TwoSpace>(tree_.heap(), &tree_.root());
  }

  void run() {
    const std::uint64_t all = settings_.operations;
    batches_.run(all - all / 10, [&] { operation(); });
    if (settings_.mover == "upper")
      abut::move::relayout<DictLinks>(tree_.heap(), tree_.root(), Nesting::lines_in_pages);
    batches_.run(all / 10, [&] { operation(); });
    report();
  }

private:
  std::uint32_t new_key() { return static_cast<std::uint32_t>(random_.next() >> 35); }

  void operation() {
    const std::uint64_t index = random_.below(keys_.size());
    const Place place = look_up(keys_[index]);
    sum_.add(keys_[index]);
    if (random_.below(1000) < settings_.changes) {
      const auto barrier = [&](Place changed) {
        if constexpr (kTwoSpace) two_space_->wrote(changed);
      };
      const CellId cell = tree_.remove(place, barrier);
      keys_[index] = new_key();
      tree_.attach(tree_.find_gap(keys_[index]), cell, keys_[index], barrier);
    }
    work();
  }

  Place look_up(std::uint32_t key) {
    if constexpr (kOneSpace)
      if (embedded_ && choices_.below(1000) < settings_.rate) return look_up_and_move(key);
    return tree_.find(key, [](Place) {});
  }

  // What figure 5.2 embeds in the look-up: the clusters that it comes through are put right.
  Place look_up_and_move(std::uint32_t key) {
    LineId line = kNoLine;
    bool compacting = false;
    return tree_.find(key, [&](Place place) {
      if (compacting) return one_space_->compact(place);
      if (found(line) && Heap::Numbers::line_of(tree_.at(place)) == line) return;
      if (one_space_->improve(place) == OneSpace::Outcome::no_room) {
        compacting = settings_.compacts;
        if (compacting) one_space_->compact(place);
      }
      line = Heap::Numbers::line_of(tree_.at(place));
    });
  }

  void work() {
    constexpr std::uint64_t kEvery = 100; // operations between two steps of an incremental mover
    ++done_;
    if (settings_.period != 0 && done_ % settings_.period == 0) {
      if (settings_.mover == "periodic2space")
        abut::move::relayout<DictLinks>(tree_.heap(), tree_.root());
      if (settings_.mover == "periodic2space-nested")
        abut::move::relayout<DictLinks>(tree_.heap(), tree_.root(), Nesting::lines_in_pages);
      if constexpr (kOneSpace)
        if (settings_.mover == "periodic1space") one_space_->pass();
    }
    if (!incremental_ || done_ % kEvery != 0) return;
    if constexpr (kOneSpace) one_space_->step(settings_.rate * kEvery / 1000);
    if constexpr (kTwoSpace) two_space_->step(settings_.rate * kEvery / 1000);
  }

  void report() {
    const auto &heap = tree_.heap();
    std::printf("{\"program\": \"dict\", \"mover\": \"%.*s\", ",
                static_cast<int>(settings_.mover.size()), settings_.mover.data());
    batches_.print_figures();
    std::printf(", \"m\": %.3f, \"checksum\": \"%016" PRIx64 "\"}\n", heap.ratio(), sum_.value());
  }

  Settings settings_;
  Tree tree_;
  Random random_;
  Random choices_{7}; // of the mover, so that all movers see the same operations
  std::vector<std::uint32_t> keys_;
  bench::Batches batches_;
  bench::Checksum sum_;
  std::unique_ptr<OneSpace> one_space_;
  std::unique_ptr<TwoSpace> two_space_;
  bool embedded_ = settings_.mover == "embedded1space";
  bool incremental_ = settings_.mover.starts_with("incremental");
  std::uint64_t done_ = 0;
};

using namespace grammar;
// What figure 7.16 found best.
constexpr auto kMoveNodeInsert = (l | el) * (parent<1> | always);
constexpr auto kMoveNodeMove = l(parent<1>) | l(child<2>);
constexpr auto kMoveFieldsCut = l(parent<1>);
using MoveNodeSites = bench::DictSites<std::remove_const_t<decltype(kMoveNodeInsert)>, Strategy<>,
                                       std::remove_const_t<decltype(kMoveNodeMove)>>;
using MoveFieldsSites = bench::DictSites<std::remove_const_t<decltype(kMoveNodeInsert)>,
                                         std::remove_const_t<decltype(kMoveFieldsCut)>, Strategy<>>;

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("dict",
                         "Looks up, deletes and inserts in a search tree whose nodes move.");
  options.number("nodes", settings.nodes, {2, 200'000'000}, "nodes of the tree");
  options.number("operations", settings.operations, {10, 10'000'000'000}, "look-ups");
  options.number("batch", settings.batch, {1, 1'000'000'000}, "operations that are timed as one");
  options.number("changes", settings.changes, {0, 1000},
                 "look-ups of 1000 after which the node is deleted and another inserted");
  options.choice("variant", settings.variant, {"node", "fields"},
                 "what a deletion moves: MOVENODE or MOVEFIELDS");
  options.text("mover", settings.mover,
               "none, upper, sites, periodic2space[-nested], periodic1space, incremental1space, "
               "incremental2space, embedded1space, bfs[-0|-1|-2], fixed[-0|-1|-2]");
  options.number("percent", settings.percent, {100, 1000}, "cells for 100 nodes: m");
  options.number("period", settings.period, {0, UINT64_MAX}, "operations between two passes");
  options.number("rate", settings.rate, {0, 1'000'000},
                 "nodes looked at in 1000 operations, or look-ups of 1000 that move");
  options.number("threshold", settings.threshold, {1, 64}, "cells a line must have free");
  options.flag("compact", settings.compacts, "compact where no line has");
  options.flag("huge", settings.huge, "ask for huge pages");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the keys");
  options.parse(argc, argv);
  return settings;
}

} // namespace

template <Shape Form>
bool run_perfect(const Settings &settings, std::string_view name) {
  if (!settings.mover.starts_with(name)) return false;
  const std::string_view depth = settings.mover.substr(name.size());
  if (depth == "-0")
    Run<bench::PerfectDict<kShape, Form, 0>>(settings).run();
  else if (depth == "-1")
    Run<bench::PerfectDict<kShape, Form, 1>>(settings).run();
  else
    Run<bench::PerfectDict<kShape, Form, 2>>(settings).run();
  return true;
}

// NOLINTNEXTLINE(bugprone-exception-escape): where memory runs out, the program may end
int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  using Plain = DictTree<kShape, Needs{}, NoSites>;
  constexpr Needs kOneSpace = TreeMover<Plain::Heap, DictLinks>::needs();
  constexpr Needs kTwoSpace = TwoSpaceMover<Plain::Heap, DictLinks>::needs();
  if (run_perfect<Shape::breadth_first>(settings, "bfs")) return 0;
  if (run_perfect<Shape::fixed_height>(settings, "fixed")) return 0;
  if (settings.mover == "sites" && settings.variant == "node") {
    Run<DictTree<kShape, Needs{}, MoveNodeSites>>(settings).run();
  } else if (settings.mover == "sites") {
    Run<DictTree<kShape, Needs{}, MoveFieldsSites>>(settings).run();
  } else if (settings.mover.ends_with("1space")) {
    Run<DictTree<kShape, kOneSpace, NoSites>>(settings).run();
  } else if (settings.mover == "incremental2space") {
    Run<DictTree<kShape, kTwoSpace, NoSites>>(settings).run();
  } else {
    Run<Plain>(settings).run();
  }
}
