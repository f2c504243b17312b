// Perfect layouts of trees: after every update each line again holds one cluster, by breadth-first search or of a fixed
// height, and nothing else (Adcock 2009, 6.2). Reading the tree stays as it is; updates call `attached` and `repair`.
//
// The thesis writes a function for each kind of update and depth. Here one does for all: the cluster of the update is
// settled, in the line where most of it lies; what does not belong there is settled elsewhere first; the clusters below
// that lost nodes are settled next. So deep it goes `Depth` clusters, then it lays the rest below out again (recluster).
#pragma once

#include "parts/cluster.hpp"

#include <algorithm>
#include <vector>

namespace adcock::move {

enum class Shape : std::uint8_t { breadth_first, fixed_height };

template <typename Heap, typename Links, Shape Form, unsigned Depth>
class PerfectTree {
public:
  using Numbers = typename Heap::Numbers;
  static constexpr unsigned kMost = Numbers::kCellsPerLine;
  using ClusterHere = Cluster<Heap, Links, kMost>;
  // Generations of a cluster: all that a line can hold in full (two of 4 cells, three of 8).
  static constexpr unsigned kHeight =
      Form == Shape::fixed_height ? std::bit_width(kMost + 1) - 1u : ClusterHere::kAnyHeight;
  static_assert(Form == Shape::breadth_first || Links::kLinks == 2);
  static constexpr Needs needs() { return Newblock<Level::line, Level::heap>::needs(); }

  PerfectTree(Heap &heap, CellId *roots, std::uint32_t count = 1)
      : structure_(heap, roots, count) {}

  // How many nodes were moved.
  std::size_t moved() const { return moved_; }

  // Whether `node` begins a cluster of its own. `generation` counts from 1 at the begin of its owner's cluster.
  bool begins_cluster(CellId owner, CellId node, unsigned generation) const {
    if constexpr (Form == Shape::fixed_height) return generation > kHeight;
    return Numbers::line_of(owner) != Numbers::line_of(node);
  }

  // A cell for a new node that will be linked at `place`, below the cluster that begins at `top`. The caller makes the
  // node there, links it, and calls `attached`.
  CellId cell_for(Place top, Place place, unsigned generation) {
    Heap &heap = structure_.heap();
    if (found(place.owner) && (Form == Shape::breadth_first || generation <= kHeight))
      if (const CellId cell = heap.take(Numbers::line_of(structure_.at(top))); found(cell))
        return cell;
    return heap.take(empty_line());
  }
  // The node is linked; it may belong into the cluster above.
  void attached(Place top, CellId cell) {
    if (Form == Shape::fixed_height ||
        Numbers::line_of(structure_.at(top)) == Numbers::line_of(cell))
      return; // there was room
    repair(top);
  }
  // Links in or below the cluster that begins at `top` have changed.
  void repair(Place top) {
    if (!found(structure_.at(top))) return;
    if constexpr (Depth == 0) {
      recluster(top);
    } else {
      settle(top, Depth, kNoLine);
    }
  }
  // Lays out all that is below `top` in empty lines.
  void recluster(Place top) {
    std::vector<Place> waiting{top};
    ClusterHere cluster;
    while (!waiting.empty()) {
      const Place place = waiting.back();
      waiting.pop_back();
      cluster.gather(structure_.heap(), structure_.at(place), kMost, kHeight);
      copy(cluster, place);
      cluster.each_below(structure_.heap(), [&](Place below) { waiting.push_back(below); });
    }
  }

private:
  LineId empty_line() {
    const LineId line = structure_.heap().find(Newblock<Level::line, Level::heap>{});
    if (!found(line)) throw std::bad_alloc();
    return line;
  }
  void copy(ClusterHere &cluster, Place place) {
    cluster.move_to_line(structure_, place, empty_line());
    moved_ += cluster.size();
  }

  // Brings the cluster at `place` into one line and what was displaced into others.
  void settle(Place place, unsigned depth, LineId avoid) {
    Heap &heap = structure_.heap();
    ClusterHere cluster;
    cluster.gather(heap, structure_.at(place), kMost, kHeight);
    LineId lines[kMost] = {};
    LineId *end = std::generate_n(lines, cluster.size(),
                                  [&, i = 0u]() mutable { return Numbers::line_of(cluster[i++]); });
    const auto members_in = [&](LineId line) {
      return static_cast<unsigned>(std::count(lines, end, line));
    };
    // Where most members lie.
    const LineId home = *std::max_element(
        lines, end, [&](LineId one, LineId other) { return members_in(one) < members_in(other); });
    const unsigned at_home = members_in(home);
    bool stays = home != avoid && at_home * 2 >= heap.count(home);
    if (stays && heap.count(home) > at_home) {
      // What lies in the cluster's line without belonging to it leaves it.
      settle_below(cluster, depth, home, [&](LineId line) { return line == home; });
      stays = heap.count(home) == at_home; // else a node that is not in the tree lies there
    }
    if (stays) {
      moved_ += cluster.size() - at_home;
      cluster.move_to_line(structure_, place, home);
    } else {
      copy(cluster, place);
    }
    // The clusters below that lost nodes, or that begin in the midst of a line.
    settle_below(cluster, depth, kNoLine, [&](LineId line) {
      return line == Numbers::line_of(cluster[0]) || std::find(lines, end, line) != end;
    });
  }

  // The clusters below that begin in a line which is `wanted`.
  template <typename Wanted>
  void settle_below(const ClusterHere &cluster, unsigned depth, LineId avoid, Wanted wanted) {
    Place places[kMost * Links::kLinks];
    unsigned count = 0;
    cluster.each_below(structure_.heap(), [&](Place below) {
      if (wanted(Numbers::line_of(structure_.at(below)))) places[count++] = below;
    });
    for (unsigned i = 0; i < count; ++i) settle_below(places[i], depth, avoid);
  }
  void settle_below(Place place, unsigned depth, LineId avoid) {
    if (depth <= 1) {
      recluster(place);
    } else {
      settle(place, depth - 1, avoid);
    }
  }

  Structure<Heap, Links> structure_;
  std::size_t moved_ = 0;
};

} // namespace adcock::move
