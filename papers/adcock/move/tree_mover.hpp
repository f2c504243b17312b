// Movers of trees within one space: they fill the emptiest lines there are with clusters, a cluster at a time, so that
// memory is bounded and pauses are short (Adcock 2009, 5.3 to 5.6: periodic1space, incremental1space, embedded1space).
#pragma once

#include "parts/cluster.hpp"

#include <algorithm>
#include <vector>

namespace adcock::move {

// How a mover with one space goes to work.
struct OneSpaceRules {
  // Lines with less room are left alone (thresh=k, in free cells; at least 2, for moving one node joins nothing).
  unsigned threshold = 2;
  // While there is no such line, nodes go to the fullest lines instead, so that emptier ones come about (5.6).
  bool compacts = false;
};

template <typename Heap, typename Links>
class TreeMover {
public:
  using Numbers = typename Heap::Numbers;
  static constexpr unsigned kMost = Numbers::kCellsPerLine;
  // What a heap must be able to do.
  static constexpr Needs needs() {
    using enum Level;
    return Emptiest<line, heap>::needs() | Fullest<line, heap>::needs();
  }
  enum class Outcome : std::uint8_t { moved, left, no_room };

  TreeMover(Heap &heap, CellId *roots, std::uint32_t count = 1, OneSpaceRules rules = {})
      : structure_(heap, roots, count), rules_(rules) {}

  OneSpaceRules &rules() { return rules_; }
  // How many clusters were looked at, and how many of them were moved or found no room, since the mover was made.
  struct Counts {
    std::size_t looked = 0;
    std::size_t moved = 0;
    std::size_t without_room = 0;
  };
  const Counts &counts() const { return counts_; }

  // ---- incremental: some nodes at a time ----

  // Goes on with the pass over the structure until it has looked at `nodes` nodes; begins a new pass where one has
  // ended. The structure may change in between: what the pass misses, the next one finds (5.4.2). False if a pass ended.
  bool step(std::size_t nodes) {
    std::size_t looked = 0;
    while (looked < nodes) {
      if (waiting_.empty()) {
        begin_pass();
        if (looked > 0 || waiting_.empty()) return false;
      }
      if (!still_held(waiting_.back())) {
        waiting_.pop_back();
        ++looked;
        continue;
      }
      const Place place = waiting_.back();
      const Outcome outcome = improve(place);
      if (outcome == Outcome::no_room && !rules_.compacts) return true;
      waiting_.pop_back();
      if (outcome == Outcome::no_room) {
        compact(place);
        cluster_.gather(structure_.heap(), structure_.at(place), 1);
      }
      looked += cluster_.size();
      push_below();
    }
    return true;
  }

  // A whole pass (periodic1space).
  void pass() {
    waiting_.clear();
    begin_pass();
    while (!waiting_.empty())
      if (!step(std::size_t{1} << 20) || stuck()) break;
    waiting_.clear();
  }

  // ---- embedded: where the program walks anyway ----

  // Gathers the cluster below the node at `place`, which must hold one, and moves it into one line if there is one
  // empty enough and it is not in one already. Afterwards `place` holds the same node, perhaps elsewhere.
  Outcome improve(Place place) {
    Heap &heap = structure_.heap();
    const CellId node = structure_.at(place);
    const LineId line = heap.find(Emptiest<Level::line, Level::heap>{});
    const unsigned room = found(line) ? heap.space(line) : 0;
    ++counts_.looked;
    if (room < rules_.threshold) {
      ++counts_.without_room;
      return Outcome::no_room;
    }
    cluster_.gather(heap, node, room);
    if (cluster_.in_one_line()) return Outcome::left;
    if (cluster_.size() == room) {
      cluster_.move_to_line(structure_, place, line);
    } else if (!place_small(place, line)) {
      return Outcome::left;
    }
    ++counts_.moved;
    return Outcome::moved;
  }

  // Moves the one node at `place` into the fullest line that is not full.
  void compact(Place place) {
    Heap &heap = structure_.heap();
    const CellId node = structure_.at(place);
    const LineId line = heap.find(Fullest<Level::line, Level::heap>{});
    const LineId home = Numbers::line_of(node);
    if (!found(line) || line == home || heap.count(line) < heap.count(home)) return;
    cluster_.gather(heap, node, 1);
    cluster_.move_to_line(structure_, place, line);
  }

private:
  void begin_pass() {
    for (std::uint32_t root = structure_.roots(); root-- > 0;)
      if (found(structure_.at({kNoCell, root}))) waiting_.push_back({kNoCell, root});
  }
  // A place that waited may since have lost its node, or its owner.
  bool still_held(Place place) const {
    if (found(place.owner) && !structure_.heap().in_use(place.owner)) return false;
    return found(structure_.at(place));
  }
  bool stuck() const { return !waiting_.empty() && !rules_.compacts; }

  void push_below() {
    const std::size_t before = waiting_.size();
    cluster_.each_below(structure_.heap(), [&](Place child) {
      __builtin_prefetch(structure_.heap().address(structure_.at(child)));
      waiting_.push_back(child);
    });
    std::reverse(waiting_.begin() + static_cast<std::ptrdiff_t>(before), waiting_.end());
  }

  // A cluster at the bottom of the tree, too small for a line of its own, goes beside others of its kind.
  bool place_small(Place place, LineId emptiest) {
    Heap &heap = structure_.heap();
    const bool stands = found(shared_) && number(Numbers::page_of(shared_)) < heap.pages();
    if (!stands || heap.space(shared_) < cluster_.size()) shared_ = emptiest;
    if (Numbers::line_of(cluster_[0]) == shared_) return false;
    cluster_.move_to_line(structure_, place, shared_);
    return true;
  }

  Structure<Heap, Links> structure_;
  OneSpaceRules rules_;
  Cluster<Heap, Links, kMost> cluster_;
  std::vector<Place> waiting_;
  LineId shared_ = kNoLine;
  Counts counts_;
};

} // namespace adcock::move
