// A mover that goes from one space to another, some nodes at a time (Adcock 2009, 5.4.1: incremental2space). From-space
// and to-space are sets of pages of one heap. The program calls `wrote` after each change of a link: the write barrier.
//
// A collection always ends, which the thesis did not promise: what waits is dropped at once if its node has moved already,
// so that of what is done for an update, all but two steps move nodes that were never moved before in this collection;
// a step of at least three for each write is therefore enough.
#pragma once

#include "parts/cluster.hpp"

#include <vector>

namespace adcock::move {

template <typename Heap, typename Links>
class TwoSpaceMover {
public:
  using Numbers = typename Heap::Numbers;
  static constexpr unsigned kMost = Numbers::kCellsPerLine;
  static constexpr Needs needs() { return Newblock<Level::page, Level::heap>::needs(); }

  TwoSpaceMover(Heap &heap, CellId *roots, std::uint32_t count = 1)
      : structure_(heap, roots, count) {}

  std::size_t collections() const { return collections_; }

  // Starts a collection: all that is there is from-space now.
  void begin() {
    if (collecting_) return;
    collecting_ = true;
    to_ = 1 - to_;
    line_ = shared_ = kNoLine;
    for (std::uint32_t root = structure_.roots(); root-- > 0;) waiting_.push_back({kNoCell, root});
  }

  // Looks at up to `nodes` nodes. True when a collection has ended.
  bool step(std::size_t nodes) {
    if (!collecting_) begin();
    for (std::size_t looked = 0; looked < nodes && !waiting_.empty();) {
      const Place place = waiting_.back();
      waiting_.pop_back();
      looked += 1 + move_cluster(place);
    }
    if (!waiting_.empty()) return false;
    collecting_ = false;
    ++collections_;
    return true;
  }

  // Embedded in a walk, which has come to the node at `place`: its cluster moves, if it has not. Ends a collection when
  // nothing waits any more.
  void visit(Place place) {
    const CellId node = structure_.at(place);
    if (!collecting_ || is_moved(node)) return;
    move_cluster(place);
    while (!waiting_.empty() && is_done(waiting_.back())) waiting_.pop_back();
    if (!waiting_.empty()) return;
    collecting_ = false;
    ++collections_;
  }

  // The write barrier: the link at `place` has been changed.
  void wrote(Place place) {
    if (!collecting_) return;
    if (found(place.owner) && !is_moved(place.owner))
      return; // it is looked at when its owner moves
    const CellId node = structure_.at(place);
    if (found(node) && !is_moved(node)) waiting_.push_back(place);
  }

  // A cell for a new node, in the space where what is moved goes.
  CellId allocate() { return take(line_for(1)); }

private:
  bool is_done(Place place) const {
    if (found(place.owner) && !structure_.heap().in_use(place.owner)) return true;
    const CellId node = structure_.at(place);
    return !found(node) || is_moved(node);
  }
  bool is_moved(CellId node) const { return structure_.heap().space_of(node) == to_; }

  // Moves the cluster of nodes in from-space at `place`; how many it has. Place or owner may have gone since it waited,
  // even have been used for another node: then its links are links of the structure as well.
  std::size_t move_cluster(Place place) {
    if (is_done(place)) return 0;
    Heap &heap = structure_.heap();
    Cluster<Heap, Links, kMost> cluster;
    cluster.gather(heap, structure_.at(place), kMost, cluster.kAnyHeight,
                   [&](CellId cell) { return !is_moved(cell); });
    const LineId line = line_for(cluster.size());
    cluster.move(
        structure_, place, [&](unsigned) { return take(line); },
        [&](CellId from) { heap.free(from); });
    cluster.each_below(heap, [&](Place below) {
      const CellId child = structure_.at(below);
      if (is_moved(child)) return;
      __builtin_prefetch(heap.address(child));
      waiting_.push_back(below);
    });
    return cluster.size();
  }

  CellId take(LineId line) { return structure_.heap().take(line); }
  LineId line_for(unsigned count) {
    const Heap &heap = structure_.heap();
    if (count == kMost) return next_line();
    if (!found(shared_) || heap.space(shared_) < count) shared_ = next_line();
    return shared_;
  }
  LineId next_line() {
    Heap &heap = structure_.heap();
    if (!found(line_) || Numbers::line_in_page(line_) + 1 == Numbers::kLinesPerPage) {
      const PageId page = heap.empty_page();
      heap.set_space(page, to_);
      line_ = Numbers::line(page, 0);
    } else {
      line_ = LineId{number(line_) + 1};
    }
    return line_;
  }

  Structure<Heap, Links> structure_;
  std::vector<Place> waiting_;
  LineId line_ = kNoLine;
  LineId shared_ = kNoLine;
  unsigned to_ = 0;
  bool collecting_ = false;
  std::size_t collections_ = 0;
};

} // namespace adcock::move
