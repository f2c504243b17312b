// MLIST with nodes that stay where they are, or that movers move now and then (Adcock 2009, chapter 5).
#include "adcock/move/list_mover.hpp"
#include "adcock/move/static_layouts.hpp"
#include "adcock/move/two_space_mover.hpp"
#include "move/mlist_heap.hpp"

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about

constexpr std::uint64_t kEvery = 10; // operations between two steps of an incremental mover
using PlainHeap = RdsHeap<MlistNode, kMlistShape>;

class PlainLists : public MlistHeap<Needs{}> {
public:
  using MlistHeap::MlistHeap;

  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    cut(walk(list, index, sum));
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    put(walk(list, index, sum), spare_, data);
  }
  void work(std::uint64_t done) {
    if (settings_.period != 0 && done % settings_.period == 0) lay_out();
  }
  // The best layout, or another of figure 3.6 by its name there: pages (P) or lines (L) of a list as few as can be (m),
  // with neighbours in them (c), or in order (co).
  void lay_out() {
    if (!settings_.mover.starts_with("layout-")) return MlistHeap::lay_out();
    constexpr std::size_t kLine = Numbers::kCellsPerLine;
    constexpr std::size_t kPage = Numbers::kCellsPerPage;
    const std::string_view name = settings_.mover.substr(7);
    std::mt19937_64 random(settings_.seed);
    StaticLayouts<Heap, MlistLinks> layouts(heap_, roots_.data(),
                                            static_cast<std::uint32_t>(roots_.size()));
    const std::size_t block = name.starts_with('P') ? kPage : name == "none" ? 1 : kLine;
    CellOrder order;
    for (std::uint32_t list = 0; list < roots_.size(); ++list) {
      CellOrder nodes = layouts.list(list);
      if (name == "PmLc") nodes = shuffled(nodes, kLine, random);
      if (name == "PmLm" || name == "Lm") nodes = shuffled(nodes, 1, random);
      if (name == "PcLc") nodes = shuffled_within(nodes, kPage, kLine, random);
      if (name == "PcLm") nodes = shuffled_within(nodes, kPage, 1, random);
      nodes.resize((nodes.size() + block - 1) / block * block, kNoCell);
      order.insert(order.end(), nodes.begin(), nodes.end());
    }
    layouts.arrange(shuffled(order, block, random));
  }

  // Changes that nobody walks to: while layouts degrade, and nothing is timed.
  static constexpr CellId kFront = kNoCell;
  std::vector<CellId> cells(std::uint32_t list) const {
    std::vector<CellId> found_cells;
    for (CellId node = roots_[list]; found(node); node = heap_[node].next)
      found_cells.push_back(node);
    return found_cells;
  }
  void erase_after(std::uint32_t list, CellId before) { cut({before, list}); }
  CellId insert_after(std::uint32_t list, CellId before, std::uint32_t data) {
    put({before, list}, spare_, data);
    return spare_;
  }
};

class TwoSpaceLists : public MlistHeap<TwoSpaceMover<PlainHeap, MlistLinks>::needs()> {
public:
  explicit TwoSpaceLists(const MlistSettings &settings)
      : MlistHeap(settings),
        mover_(heap_, roots_.data(), static_cast<std::uint32_t>(roots_.size())) {}

  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    const Place place = walk(list, index, sum);
    cut(place);
    mover_.wrote(place);
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    const Place place = walk(list, index, sum);
    put(place, spare_, data);
    mover_.wrote(place);
    mover_.wrote({spare_, 0});
  }
  void work(std::uint64_t done) {
    if (done % kEvery == 0) mover_.step(settings_.rate * kEvery / 1000);
  }

private:
  TwoSpaceMover<Heap, MlistLinks> mover_;
};

class OneSpaceLists : public MlistHeap<ListMover<PlainHeap, MlistLinks>::needs()> {
public:
  explicit OneSpaceLists(const MlistSettings &settings)
      : MlistHeap(settings),
        mover_(heap_, roots_.data(), static_cast<std::uint32_t>(roots_.size()),
               ListRules{static_cast<std::uint32_t>(settings.threshold), settings.compacts}) {}

  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    cut(walk_or_move(list, index, sum));
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    put(walk_or_move(list, index, sum), spare_, data);
  }
  void work(std::uint64_t done) {
    if (settings_.period != 0 && done % settings_.period == 0) mover_.pass();
    if (incremental_ && done % kEvery == 0) mover_.step(settings_.rate * kEvery / 1000);
  }

private:
  Place walk_or_move(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    if (!embedded_ || choices_.below(1000) >= settings_.rate) return walk(list, index, sum);
    Place place{kNoCell, list};
    mover_.begin_walk();
    for (; index > 0; --index) {
      const CellId node = mover_.visit(place);
      sum.add(heap_[node].data);
      place = {node, 0};
    }
    mover_.end_walk(place, extent_);
    return place;
  }

  ListMover<Heap, MlistLinks> mover_;
  Random choices_{7}; // of the mover, so that all movers see the same operations
  bool embedded_ = settings_.mover.starts_with("embedded1space");
  Extent extent_ = settings_.mover.ends_with("-as-walked") ? Extent::as_walked
                   : settings_.mover.ends_with("-to-end")  ? Extent::to_end_of_list
                                                           : Extent::to_end_of_block;
  bool incremental_ = settings_.mover == "incremental1space";
};

} // namespace

bool run_list_movers(const MlistSettings &settings) {
  if (settings.mover.ends_with("1space") || settings.mover.starts_with("embedded1space")) {
    MlistProgram<OneSpaceLists>(settings).run();
  } else if (settings.mover == "incremental2space") {
    MlistProgram<TwoSpaceLists>(settings).run();
  } else if (settings.mover == "none" || settings.mover == "upper" ||
             settings.mover == "periodic2space" || settings.mover.starts_with("layout-")) {
    MlistProgram<PlainLists>(settings).run();
  } else {
    return false;
  }
  return true;
}

} // namespace bench
