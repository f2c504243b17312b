// DICT (Adcock 2009, 3.2.1): a search tree that is looked up at random, and after a share of the look-ups the node is
// deleted and another key inserted; under movers and strategies, or none. Prints one JSON object.
#include "abut/move/relayout.hpp"
#include "common/checksum.hpp"
#include "common/options.hpp"
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

#ifndef DICT_LINE
#define DICT_LINE 64
#endif
constexpr Geometry kShape{DICT_LINE, 4096};

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
  std::uint64_t seed = 1;
};

template <Needs More, typename Sites>
class Run {
  using Tree = DictTree<kShape, More, Sites>;
  using Heap = typename Tree::Heap;
  static constexpr bool kOneSpace = More == TreeMover<Heap, DictLinks>::needs();

public:
  explicit Run(const Settings &settings)
      : settings_(settings), tree_(settings.variant == "fields", settings.seed + 1),
        random_(settings.seed), keys_(settings.nodes),
        batches_(settings.operations, settings.batch) {
    for (auto &key : keys_) {
      key = new_key();
      insert(key, tree_.fresh_cell());
    }
    // Twice: once up out of the pages that it was built in, and down again, so that the others can go.
    for (int i = 0; i < 2; ++i)
      abut::move::relayout<DictLinks>(tree_.heap(), tree_.root(), Nesting::lines_in_pages);
    tree_.heap().trim();
    tree_.heap().bound_ratio(static_cast<double>(settings.percent) / 100);
    if constexpr (kOneSpace)
      mover_ = std::make_unique<TreeMover<Heap, DictLinks>>(
          tree_.heap(), &tree_.root(), 1,
          OneSpaceRules{static_cast<unsigned>(settings.threshold), settings.compacts});
  }

  void run() {
    const bool late = settings_.mover == "upper";
    const std::uint64_t all = settings_.operations;
    batches_.run(late ? all - all / 10 : all, [&] { operation(); });
    if (late) {
      abut::move::relayout<DictLinks>(tree_.heap(), tree_.root(), Nesting::lines_in_pages);
      batches_.run(all / 10, [&] { operation(); });
    }
    report();
  }

private:
  std::uint32_t new_key() { return static_cast<std::uint32_t>(random_.next() >> 35); }

  void insert(std::uint32_t key, CellId cell) {
    Place place = tree_.find(key, [](Place) {});
    // Duplicates go to the right, down to a place that is empty.
    while (found(tree_.at(place))) {
      place = {tree_.at(place), 1};
      while (found(tree_.at(place)) && tree_.key(tree_.at(place)) != key)
        place = {tree_.at(place), key < tree_.key(tree_.at(place)) ? 0u : 1u};
    }
    tree_.attach(place, cell, key, [](Place) {});
  }

  void operation() {
    const std::uint64_t index = random_.below(keys_.size());
    const Place place = look_up(keys_[index]);
    sum_.add(keys_[index]);
    if (random_.below(1000) < settings_.changes) {
      const CellId cell = tree_.remove(place, [](Place) {});
      keys_[index] = new_key();
      insert(keys_[index], cell);
    }
    work();
  }

  Place look_up(std::uint32_t key) {
    if constexpr (kOneSpace) {
      if (embedded_ && random_.below(1000) < settings_.rate) {
        LineId line = kNoLine;
        bool compacting = false;
        return tree_.find(key, [&](Place place) {
          const CellId node = tree_.at(place);
          if (compacting) return mover_->compact(place);
          if (found(line) && Heap::Numbers::line_of(node) == line) return;
          if (mover_->improve(place) == TreeMover<Heap, DictLinks>::Outcome::no_room) {
            compacting = settings_.compacts;
            if (compacting) mover_->compact(place);
          }
          line = Heap::Numbers::line_of(tree_.at(place));
        });
      }
    }
    return tree_.find(key, [](Place) {});
  }

  void work() {
    ++done_;
    if (settings_.period != 0 && done_ % settings_.period == 0) {
      if (settings_.mover == "periodic2space") {
        abut::move::relayout<DictLinks>(tree_.heap(), tree_.root());
      } else if (settings_.mover == "periodic2space-nested") {
        abut::move::relayout<DictLinks>(tree_.heap(), tree_.root(), Nesting::lines_in_pages);
      }
      if constexpr (kOneSpace)
        if (settings_.mover == "periodic1space") mover_->pass();
    }
    if constexpr (kOneSpace) {
      constexpr std::uint64_t kEvery = 100;
      if (incremental_ && done_ % kEvery == 0) mover_->step(settings_.rate * kEvery / 1000);
    }
  }

  void report() {
    const auto &heap = tree_.heap();
    std::printf(
        "{\"program\": \"dict\", \"mover\": \"%.*s\", \"first_ns\": %.2f, \"last_ns\": %.2f, "
        "\"median_ms\": %.4f, \"slow_ms\": %.4f, \"worst_ms\": %.4f, \"m\": %.3f, ",
        static_cast<int>(settings_.mover.size()), settings_.mover.data(), batches_.first_ns(),
        batches_.last_ns(), batches_.median_ms(), batches_.slow_ms(), batches_.worst_ms(),
        heap.ratio());
    std::printf("\"course_ns\": ");
    batches_.print_course();
    std::printf(", \"checksum\": \"%016" PRIx64 "\"}\n", sum_.value());
  }

  Settings settings_;
  Tree tree_;
  Random random_;
  std::vector<std::uint32_t> keys_;
  bench::Batches batches_;
  bench::Checksum sum_;
  std::unique_ptr<TreeMover<Heap, DictLinks>> mover_;
  bool embedded_ = settings_.mover == "embedded1space";
  bool incremental_ = settings_.mover == "incremental1space";
  std::uint64_t done_ = 0;
};

using namespace grammar; // NOLINT(google-build-using-namespace)
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
               "embedded1space");
  options.number("percent", settings.percent, {100, 1000}, "cells for 100 nodes: m");
  options.number("period", settings.period, {0, UINT64_MAX}, "operations between two passes");
  options.number("rate", settings.rate, {0, 1'000'000},
                 "nodes looked at in 1000 operations, or look-ups of 1000 that move");
  options.number("threshold", settings.threshold, {1, 64}, "cells a line must have free");
  options.flag("compact", settings.compacts, "compact where no line has");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the keys");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  using OneSpaceHeap = DictTree<kShape, Needs{}, NoSites>::Heap;
  constexpr Needs kOneSpace = TreeMover<OneSpaceHeap, DictLinks>::needs();
  if (settings.mover == "sites") {
    if (settings.variant == "node") {
      Run<Needs{}, MoveNodeSites>(settings).run();
    } else {
      Run<Needs{}, MoveFieldsSites>(settings).run();
    }
  } else if (settings.mover.find("1space") != std::string_view::npos) {
    Run<kOneSpace, NoSites>(settings).run();
  } else {
    Run<Needs{}, NoSites>(settings).run();
  }
}
