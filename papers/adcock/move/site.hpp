// Sites: where a program changes a link, seen by a strategy. A site remembers the way there, as far as the strategy asks
// (Adcock 2009, figures 4.4 and 4.5), and offers hints from it.
#pragma once

#include "links.hpp"
#include "parts/strategy.hpp"

#include <algorithm>

namespace adcock::move {

// The last `Most` blocks of the path, each by its last node; the first and the last node on it whose block has room, where
// `NotesRoom`; and what lies ahead: in a tree below the node that is to be placed, in a list from the next node on.
template <typename Heap, typename Links, unsigned Most, bool NotesRoom = false>
class Site {
  using Numbers = typename Heap::Numbers;
  static constexpr unsigned kTrail = Most < 64 ? Most : 64;

public:
  explicit Site(Heap &heap) : heap_(&heap) {}

  void begin() {
    size_ = 0;
    if constexpr (NotesRoom) first_ = last_ = kNoCell;
  }
  // A node in the same line as the one before takes no new place.
  void pass(CellId cell) {
    if constexpr (kTrail > 0)
      if (size_ == 0 || Numbers::line_of(cells_[(size_ - 1) % kTrail]) != Numbers::line_of(cell))
        cells_[size_++ % kTrail] = cell;
    if constexpr (NotesRoom) {
      if (heap_->is_full(Numbers::line_of(cell))) return;
      if (!found(first_)) first_ = cell;
      last_ = cell;
    }
  }
  // What is to be placed; of a list, what comes after the place.
  void place(CellId node) { node_ = node; }

  bool back(unsigned most, auto attempt) const {
    if constexpr (kTrail > 0)
      for (unsigned i = 1; i <= std::min({most, size_, kTrail}); ++i)
        if (attempt(cells_[(size_ - i) % kTrail])) return true;
    return false;
  }
  // The children, then the grandchildren, `most` generations; or the next `most` nodes.
  bool ahead(unsigned most, auto attempt) const {
    if constexpr (Links::kLinks > 1) {
      for (unsigned depth = 1; found(node_) && depth <= std::min(most, 8u); ++depth)
        if (offer_generation(node_, depth, attempt)) return true;
    } else {
      CellId node = node_;
      for (unsigned i = 0; i < most && found(node); ++i, node = Links::get(*heap_, node, 0))
        if (attempt(node)) return true;
    }
    return false;
  }
  bool with_room(bool first, auto attempt) const {
    const CellId node = first ? first_ : last_;
    return found(node) && attempt(node);
  }

private:
  bool offer_generation(CellId node, unsigned depth, auto &attempt) const {
    for (unsigned which = 0; which < Links::kLinks; ++which) {
      const CellId child = Links::get(*heap_, node, which);
      if (!found(child)) continue;
      if (depth == 1 ? attempt(child) : offer_generation(child, depth - 1, attempt)) return true;
    }
    return false;
  }

  Heap *heap_;
  std::array<CellId, kTrail == 0 ? 1 : kTrail> cells_{};
  unsigned size_ = 0;
  CellId first_ = kNoCell;
  CellId last_ = kNoCell;
  CellId node_ = kNoCell;
};

} // namespace adcock::move
