// The lists of MLIST in a heap of cells, singly linked by cells' numbers; how the heap is shaped, and what is done where a
// node is inserted, are the template's.
#pragma once

#include "adcock/move/relayout.hpp"
#include "adcock/move/site.hpp"
#include "move/mlist.hpp"

namespace bench {

using adcock::move::CellId;
using adcock::move::found;
using adcock::move::Geometry;
using adcock::move::kNoCell;
using adcock::move::Place;

struct MlistNode {
  CellId next;
  std::uint32_t data;
};
using MlistLinks = adcock::move::IndexLinks<&MlistNode::next>;
inline constexpr Geometry kMlistShape{64, 4096};

template <adcock::move::Needs What, Geometry Shape = kMlistShape>
class MlistHeap {
public:
  using Heap = adcock::move::RdsHeap<MlistNode, Shape, What>;
  using Numbers = typename Heap::Numbers;

  explicit MlistHeap(const MlistSettings &settings) : settings_(settings), roots_(settings.lists) {}

  void push_front(std::uint32_t list, std::uint32_t data) {
    using adcock::move::LineId;
    if (!found(line_) || heap_.is_full(line_)) {
      const bool page_ends =
          !found(line_) || Numbers::line_in_page(line_) + 1 == Numbers::kLinesPerPage;
      line_ = page_ends ? Numbers::line(heap_.grow(), 0) : LineId{number(line_) + 1};
    }
    const CellId cell = heap_.take(line_);
    heap_[cell] = MlistNode{roots_[list], data};
    roots_[list] = cell;
  }
  // Twice: once up out of the pages that they were built in, and down again, so that the others can go.
  void built() {
    lay_out();
    lay_out();
    heap_.trim();
    heap_.bound_ratio(static_cast<double>(settings_.percent) / 100);
  }
  void lay_out() {
    adcock::move::relayout<MlistLinks>(heap_, roots_.data(),
                                       static_cast<std::uint32_t>(roots_.size()));
  }
  double ratio() const { return heap_.ratio(); }

protected:
  CellId &link(Place place) {
    return found(place.owner) ? heap_[place.owner].next : roots_[place.which];
  }
  // The link that leads to the node of this number.
  Place walk(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    Place place{kNoCell, list};
    for (CellId node = roots_[list]; index > 0; --index) {
      const MlistNode &here = heap_[node];
      sum.add(here.data);
      place = {node, 0};
      node = here.next;
    }
    return place;
  }
  // Takes a node out; its cell stays in use, for the next one.
  void cut(Place place) {
    spare_ = link(place);
    link(place) = heap_[spare_].next;
  }
  void put(Place place, CellId cell, std::uint32_t data) {
    heap_[cell] = MlistNode{link(place), data};
    link(place) = cell;
  }

  MlistSettings settings_;
  Heap heap_;
  std::vector<CellId> roots_;
  CellId spare_ = kNoCell;

private:
  adcock::move::LineId line_ = adcock::move::kNoLine;
};

} // namespace bench
