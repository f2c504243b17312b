// MLIST (Adcock 2009, 3.2.2): many singly linked lists; at random places of random lists nodes are deleted and inserted,
// and every node up to the place is walked. Under movers and strategies, or none. Prints one JSON object.
#include "abut/move/clustered_list.hpp"
#include "abut/move/list_mover.hpp"
#include "abut/move/relayout.hpp"
#include "abut/move/site.hpp"
#include "abut/move/two_space_mover.hpp"
#include "common/checksum.hpp"
#include "common/options.hpp"
#include "common/random.hpp"
#include "move/timing.hpp"

#include <cinttypes>
#include <memory>

namespace {

using namespace abut::move; // NOLINT(google-build-using-namespace): this is what it is about
using bench::Random;

struct Node {
  CellId next;
  std::uint32_t data;
};
using NodeLinks = IndexLinks<&Node::next>;
constexpr Geometry kShape{64, 4096};
using Plain = RdsHeap<Node, kShape>;

struct Settings {
  std::uint64_t nodes = std::uint64_t{1} << 22;
  std::uint64_t lists = std::uint64_t{1} << 15;
  std::uint64_t operations = 1'000'000;
  std::uint64_t batch = 100;
  std::string_view mover = "none";
  std::uint64_t percent = 200;
  std::uint64_t period = 0;
  std::uint64_t rate = 1000;
  std::uint64_t threshold = 1;
  std::uint64_t least = 75;
  bool compacts = false;
  std::uint64_t seed = 1;
};

using namespace grammar;
// Figure 7.22: for lists of some hundred nodes what follows, for longer ones what was passed.
constexpr auto kAhead = (l | el) * (next_all | always);
constexpr auto kBack = (l | el) * (last_non_full | always);
constexpr auto kPages = (p | ep) * (last<1> | always);
using InsertAhead = std::remove_const_t<decltype(kAhead)>;
using InsertBack = std::remove_const_t<decltype(kBack)>;
using InsertInPage = std::remove_const_t<decltype(kPages)>;

template <Needs More, typename Insert = Strategy<>>
class Run {
  using Heap = RdsHeap<Node, kShape, More | Insert::needs()>;
  using OneSpace = ListMover<Heap, NodeLinks>;
  using TwoSpace = TwoSpaceMover<Heap, NodeLinks>;
  template <Order Sorted>
  using Clustered = ClusteredList<Heap, NodeLinks, Sorted, Overflow::simple>;
  static constexpr bool kOneSpace = More == OneSpace::needs();
  static constexpr bool kTwoSpace = More == TwoSpace::needs();
  static constexpr bool kClustered = More == Clustered<Order::strict>::needs();

public:
  explicit Run(const Settings &settings)
      : settings_(settings), roots_(settings.lists), lengths_(settings.lists),
        random_(settings.seed), site_(heap_), batches_(settings.operations, settings.batch) {
    build();
    const auto count = static_cast<std::uint32_t>(settings.lists);
    heap_.bound_ratio(static_cast<double>(settings.percent) / 100);
    const auto threshold = static_cast<std::uint32_t>(settings.threshold);
    if constexpr (kOneSpace)
      one_space_ = std::make_unique<OneSpace>(heap_, roots_.data(), count,
                                              ListRules{threshold, settings.compacts});
    if constexpr (kTwoSpace) two_space_ = std::make_unique<TwoSpace>(heap_, roots_.data(), count);
    const auto least = static_cast<unsigned>(Heap::Numbers::kCellsPerPage * settings.least / 100);
    if constexpr (kClustered) {
      strict_list_ = std::make_unique<Clustered<Order::strict>>(heap_, roots_.data(), count, least);
      loose_list_ =
          std::make_unique<Clustered<Order::non_strict>>(heap_, roots_.data(), count, least);
    }
  }

  void run() {
    const std::uint64_t all = settings_.operations;
    batches_.run(all - all / 10, [&] { operation(); });
    if (settings_.mover == "upper") relayout();
    batches_.run(all / 10, [&] { operation(); });
    report();
  }

private:
  void relayout() {
    abut::move::relayout<NodeLinks>(heap_, roots_.data(),
                                    static_cast<std::uint32_t>(roots_.size()));
  }
  void build() {
    LineId line = kNoLine;
    for (std::uint64_t i = 0; i < settings_.nodes; ++i) {
      const std::uint64_t list = random_.below(roots_.size());
      if (!found(line) || heap_.is_full(line)) {
        const bool page_ends =
            !found(line) || Heap::Numbers::line_in_page(line) + 1 == Heap::Numbers::kLinesPerPage;
        line = page_ends ? Heap::Numbers::line(heap_.grow(), 0) : LineId{number(line) + 1};
      }
      const CellId cell = heap_.take(line);
      heap_[cell] = Node{roots_[list], static_cast<std::uint32_t>(random_.next())};
      roots_[list] = cell;
      ++lengths_[list];
    }
    relayout();
    relayout();
    heap_.trim();
    if constexpr (kClustered) relayout_in_blocks();
  }
  // Each list in blocks of its own, as clustered lists want it.
  void relayout_in_blocks() {
    for (std::uint32_t list = 0; list < roots_.size(); ++list) {
      Place place{kNoCell, list};
      PageId page = kNoPage;
      const Structure<Heap, NodeLinks> structure(heap_, roots_.data(), 1);
      for (CellId node = structure.at(place); found(node); node = structure.at(place)) {
        if (!found(page) || heap_.is_full(page)) page = heap_.empty_page();
        const CellId to = heap_.find(Lowest<Level::cell, Level::page>{}, page);
        relocate<NodeLinks>(heap_, node, to);
        structure.set(place, to);
        heap_.free(node);
        place = {to, 0};
      }
    }
  }

  CellId &link(Place place) {
    return found(place.owner) ? heap_[place.owner].next : roots_[place.which];
  }

  // Walks to the link that leads to the node of this number.
  Place walk(std::uint32_t list, std::uint64_t index) {
    Place place{kNoCell, list};
    const bool moves = embedded_ && choices_.below(1000) < settings_.rate;
    site_.begin();
    if constexpr (kOneSpace)
      if (moves) one_space_->begin_walk();
    for (; index > 0; --index) {
      CellId node = link(place);
      if constexpr (kOneSpace)
        if (moves) node = one_space_->visit(place);
      if constexpr (Insert::kTrail > 0 || Insert::kNotesRoom) site_.pass(node);
      sum_.add(heap_[node].data);
      place = {node, 0};
    }
    if constexpr (kOneSpace)
      if (moves) one_space_->end_walk(place, Extent::to_end_of_block);
    return place;
  }

  void operation() {
    std::uint64_t list;
    do list = random_.below(roots_.size());
    while (lengths_[list] == 0);
    const std::uint64_t victim = random_.below(lengths_[list]--);
    const Place gone = walk(static_cast<std::uint32_t>(list), victim);
    const CellId cell = remove(static_cast<std::uint32_t>(list), gone);
    list = random_.below(roots_.size());
    const std::uint64_t index = random_.below(++lengths_[list]);
    insert(static_cast<std::uint32_t>(list), walk(static_cast<std::uint32_t>(list), index), cell);
    work();
  }

  CellId remove(std::uint32_t list, Place place) {
    if constexpr (kClustered) {
      if (strict_)
        strict_list_->erase(list, place.owner);
      else
        loose_list_->erase(list, place.owner);
      return kNoCell;
    }
    const CellId cell = link(place);
    link(place) = heap_[cell].next;
    if constexpr (kTwoSpace) two_space_->wrote(place);
    return cell;
  }
  void insert(std::uint32_t list, Place place, CellId cell) {
    const auto data = static_cast<std::uint32_t>(random_.next());
    if constexpr (kClustered) {
      const auto make = [&](CellId fresh) { heap_[fresh] = Node{kNoCell, data}; };
      if (strict_)
        strict_list_->insert(list, place.owner, make);
      else
        loose_list_->insert(list, place.owner, make);
      return;
    }
    if constexpr (!Insert::kIsNull) {
      site_.place(link(place));
      const CellId better = Insert::allocate(heap_, site_, cell);
      if (found(better) && better != cell) {
        heap_.free(cell);
        cell = better;
      }
    }
    heap_[cell] = Node{link(place), data};
    link(place) = cell;
    if constexpr (kTwoSpace) {
      two_space_->wrote(place);
      two_space_->wrote({cell, 0});
    }
  }

  void work() {
    constexpr std::uint64_t kEvery = 10;
    ++done_;
    if (settings_.period != 0 && done_ % settings_.period == 0) {
      if (settings_.mover == "periodic2space") relayout();
      if constexpr (kOneSpace)
        if (settings_.mover == "periodic1space") one_space_->pass();
    }
    if (!incremental_ || done_ % kEvery != 0) return;
    if constexpr (kOneSpace) one_space_->step(settings_.rate * kEvery / 1000);
    if constexpr (kTwoSpace) two_space_->step(settings_.rate * kEvery / 1000);
  }

  void report() {
    std::printf(
        "{\"program\": \"mlist\", \"mover\": \"%.*s\", \"first_ns\": %.1f, \"last_ns\": %.1f, "
        "\"median_ms\": %.4f, \"slow_ms\": %.4f, \"worst_ms\": %.4f, \"m\": %.3f, \"course_ns\": ",
        static_cast<int>(settings_.mover.size()), settings_.mover.data(), batches_.first_ns(),
        batches_.last_ns(), batches_.median_ms(), batches_.slow_ms(), batches_.worst_ms(),
        heap_.ratio());
    batches_.print_course();
    std::printf(", \"checksum\": \"%016" PRIx64 "\"}\n", sum_.value());
  }

  Settings settings_;
  Heap heap_;
  std::vector<CellId> roots_;
  std::vector<std::uint64_t> lengths_;
  Random random_;
  Random choices_{7}; // of the mover, so that all movers see the same operations
  ListSite<Heap, NodeLinks, Insert::kTrail, Insert::kNotesRoom> site_;
  bench::Batches batches_;
  bench::Checksum sum_;
  std::unique_ptr<OneSpace> one_space_;
  std::unique_ptr<TwoSpace> two_space_;
  std::unique_ptr<Clustered<Order::strict>> strict_list_;
  std::unique_ptr<Clustered<Order::non_strict>> loose_list_;
  bool embedded_ = settings_.mover == "embedded1space";
  bool incremental_ = settings_.mover.starts_with("incremental");
  bool strict_ = settings_.mover == "strict";
  std::uint64_t done_ = 0;
};

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("mlist", "Deletes from and inserts into many lists whose nodes move.");
  options.number("nodes", settings.nodes, {2, 200'000'000}, "nodes in all");
  options.number("lists", settings.lists, {1, 100'000'000}, "lists: v");
  options.number("operations", settings.operations, {10, 10'000'000'000},
                 "deletions and insertions");
  options.number("batch", settings.batch, {1, 1'000'000'000}, "operations that are timed as one");
  options.text(
      "mover", settings.mover,
      "none, upper, sites-ahead, sites-back, sites-pages, periodic2space, incremental2space, "
      "periodic1space, incremental1space, embedded1space, strict, loose");
  options.number("percent", settings.percent, {100, 1000}, "cells for 100 nodes: m");
  options.number("period", settings.period, {0, UINT64_MAX}, "operations between two passes");
  options.number("rate", settings.rate, {0, 100'000'000},
                 "nodes looked at in 1000 operations, or walks of 1000 that move");
  options.number("threshold", settings.threshold, {1, 4096}, "cells a block must have free");
  options.number("least", settings.least, {0, 99}, "per cent of a block that must be used");
  options.flag("compact", settings.compacts, "compact where no block has room");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed");
  options.parse(argc, argv);
  return settings;
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): where memory runs out, the program may end
int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  constexpr Needs kOneSpace = ListMover<Plain, NodeLinks>::needs();
  constexpr Needs kTwoSpace = TwoSpaceMover<Plain, NodeLinks>::needs();
  constexpr Needs kClustered =
      ClusteredList<Plain, NodeLinks, Order::strict, Overflow::simple>::needs();
  if (settings.mover == "sites-ahead")
    Run<Needs{}, InsertAhead>(settings).run();
  else if (settings.mover == "sites-back")
    Run<Needs{}, InsertBack>(settings).run();
  else if (settings.mover == "sites-pages")
    Run<Needs{}, InsertInPage>(settings).run();
  else if (settings.mover.ends_with("1space"))
    Run<kOneSpace>(settings).run();
  else if (settings.mover == "incremental2space")
    Run<kTwoSpace>(settings).run();
  else if (settings.mover == "strict" || settings.mover == "loose")
    Run<kClustered>(settings).run();
  else
    Run<Needs{}>(settings).run();
}
