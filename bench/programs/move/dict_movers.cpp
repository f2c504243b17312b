// DICT with nodes that stay where they are, or that movers move now and then (Adcock 2009, chapter 5).
#include "adcock/move/self_tuning.hpp"
#include "adcock/move/static_layouts.hpp"
#include "adcock/move/two_space_mover.hpp"
#include "move/dict_store.hpp"
#include "move/dict_tree.hpp"

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about

constexpr std::uint64_t kEvery = 100; // operations between two steps of an incremental mover
using PlainTree = DictTree<kDictShape, Needs{}, NoSites>;

class PlainStore : public TreeStore<PlainTree> {
public:
  using TreeStore::TreeStore;
  // The tree's best layout, or another of figure 3.5; or that of the peer that knows no lines and no pages.
  void lay_out() {
    constexpr std::size_t kLine = PlainTree::Heap::Numbers::kCellsPerLine;
    constexpr std::size_t kPage = PlainTree::Heap::Numbers::kCellsPerPage;
    StaticLayouts<PlainTree::Heap, DictLinks> layouts(tree_.heap(), &tree_.root(), 1);
    std::mt19937_64 random(settings_.seed);
    if (settings_.mover == "layout-worst")
      layouts.arrange(shuffled(layouts.clusters(1), 1, random));
    else if (settings_.mover == "layout-page")
      layouts.arrange(shuffled_within(layouts.clusters(kPage), kPage, 1, random));
    else if (settings_.mover == "layout-line")
      layouts.arrange(shuffled(layouts.clusters(kLine), kLine, random));
    else if (settings_.mover == "layout-veb")
      layouts.arrange(layouts.van_emde_boas());
    else
      TreeStore::lay_out();
  }
  void work(std::uint64_t done) {
    if (settings_.period == 0 || done % settings_.period != 0) return;
    if (settings_.mover == "periodic2space") relayout<DictLinks>(tree_.heap(), tree_.root());
    if (settings_.mover == "periodic2space-nested") lay_out();
  }
};

using TwoSpaceTree =
    DictTree<kDictShape, TwoSpaceMover<PlainTree::Heap, DictLinks>::needs(), NoSites>;
class TwoSpaceStore : public TreeStore<TwoSpaceTree> {
public:
  explicit TwoSpaceStore(const DictSettings &settings)
      : TreeStore(settings), mover_(tree_.heap(), &tree_.root()) {}

  void replace(std::uint32_t /*old*/, std::uint32_t key) {
    const auto barrier = [&](Place changed) { mover_.wrote(changed); };
    const CellId cell = tree_.remove(place_, barrier);
    tree_.attach(tree_.find_gap(key), cell, key, barrier);
  }
  void look_up(std::uint32_t key) {
    if (embedded_ && choices_.below(1000) < settings_.rate)
      look_up_and_move(key);
    else
      TreeStore::look_up(key);
  }
  void work(std::uint64_t done) {
    if (!embedded_ && done % kEvery == 0) mover_.step(settings_.rate * kEvery / 1000);
  }

private:
  // Embedded (5.5.1): the clusters that a look-up comes through go to the other space. What none comes to keeps the spaces
  // from changing places, which is why the thesis advises against it.
  void look_up_and_move(std::uint32_t key) {
    mover_.begin();
    place_ = tree_.find(key, [&](Place place) { mover_.visit(place); });
  }

  TwoSpaceMover<TwoSpaceTree::Heap, DictLinks> mover_;
  Random choices_{7};
  bool embedded_ = settings_.mover == "embedded2space";
};

using OneSpaceTree = DictTree<kDictShape, TreeMover<PlainTree::Heap, DictLinks>::needs(), NoSites>;
class OneSpaceStore : public TreeStore<OneSpaceTree> {
  using Heap = OneSpaceTree::Heap;
  using Mover = TreeMover<Heap, DictLinks>;

public:
  explicit OneSpaceStore(const DictSettings &settings)
      : TreeStore(settings),
        mover_(tree_.heap(), &tree_.root(), 1,
               OneSpaceRules{static_cast<unsigned>(settings.threshold), settings.compacts}) {}

  void look_up(std::uint32_t key) {
    if (is_to_move())
      look_up_and_move(key);
    else
      TreeStore::look_up(key);
  }
  void pass_over(std::uint32_t key) {
    if (is_to_move()) look_up_and_move(key);
  }
  void work(std::uint64_t done) {
    if (periodic_ && settings_.period != 0 && done % settings_.period == 0) mover_.pass();
    if (incremental_ && done % kEvery == 0) mover_.step(settings_.rate * kEvery / 1000);
  }

private:
  bool is_to_move() { return embedded_ && choices_.below(1000) < settings_.rate; }
  // What figure 5.2 embeds in the look-up: the clusters that it comes through are put right.
  void look_up_and_move(std::uint32_t key) {
    LineId line = kNoLine;
    bool compacting = false;
    place_ = tree_.find(key, [&](Place place) {
      if (compacting) return mover_.compact(place);
      if (found(line) && Heap::Numbers::line_of(tree_.at(place)) == line) return;
      if (mover_.improve(place) == Mover::Outcome::no_room) {
        compacting = settings_.compacts;
        if (compacting) mover_.compact(place);
      }
      line = Heap::Numbers::line_of(tree_.at(place));
    });
  }

  Mover mover_;
  Random choices_{7}; // of the mover, so that all movers see the same operations
  bool embedded_ = settings_.mover == "embedded1space";
  bool incremental_ = settings_.mover == "incremental1space";
  bool periodic_ = settings_.mover == "periodic1space";
};

// Nothing to be set: the mover finds its rate and threshold by what it sees.
class TunedStore : public TreeStore<OneSpaceTree> {
public:
  explicit TunedStore(const DictSettings &settings)
      : TreeStore(settings), mover_(tree_.heap(), &tree_.root()) {}

  void replace(std::uint32_t old, std::uint32_t key) {
    TreeStore::replace(old, key);
    mover_.updated();
  }

private:
  SelfTuningMover<OneSpaceTree::Heap, DictLinks> mover_;
};

} // namespace

bool run_dict_movers(const DictSettings &settings) {
  if (settings.mover.ends_with("1space")) {
    DictProgram<OneSpaceStore>(settings).run();
  } else if (settings.mover == "tuned") {
    DictProgram<TunedStore>(settings).run();
  } else if (settings.mover == "incremental2space" || settings.mover == "embedded2space") {
    DictProgram<TwoSpaceStore>(settings).run();
  } else if (settings.mover == "none" || settings.mover == "upper" ||
             settings.mover.starts_with("layout-") ||
             settings.mover.starts_with("periodic2space")) {
    DictProgram<PlainStore>(settings).run();
  } else {
    return false;
  }
  return true;
}

} // namespace bench
