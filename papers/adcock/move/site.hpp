// Sites: where a program changes a link, seen by a strategy. A site remembers the way there, as far as the strategy asks
// (Adcock 2009, figures 4.4 and 4.5), and offers hints from it.
#pragma once

#include "links.hpp"
#include "parts/strategy.hpp"
#include <algorithm>

namespace adcock::move {

// The last blocks of a path, each by its last node; a node in the same line as the one before takes no new place.
template <unsigned Most>
class Trail {
public:
  static constexpr unsigned kMost = Most < 64 ? Most : 64;

  void clear() { size_ = 0; }
  template <typename Numbers>
  void pass(CellId cell) {
    if constexpr (kMost > 0) {
      if (size_ > 0 && Numbers::line_of(cells_[(size_ - 1) % kMost]) == Numbers::line_of(cell))
        return;
      cells_[size_++ % kMost] = cell;
    }
  }
  template <typename Try>
  bool offer(unsigned most, Try attempt) const {
    if constexpr (kMost > 0) {
      const unsigned count = std::min({most, size_, kMost});
      for (unsigned i = 1; i <= count; ++i)
        if (attempt(cells_[(size_ - i) % kMost])) return true;
    }
    return false;
  }

private:
  std::array<CellId, kMost == 0 ? 1 : kMost> cells_{};
  unsigned size_ = 0;
};

// A site in a tree: the path down to it, and the node that is to be placed, whose descendants are offered.
template <typename Heap, typename Links, unsigned Most>
class TreeSite {
public:
  explicit TreeSite(Heap &heap) : heap_(&heap) {}

  void pass(CellId cell) { trail_.template pass<typename Heap::Numbers>(cell); }
  void begin() { trail_.clear(); }
  void place(CellId node) { node_ = node; }

  template <typename Try>
  bool back(unsigned most, Try attempt) const {
    return trail_.offer(most, attempt);
  }
  // The children, then the grandchildren, ...; `generations` of them.
  template <typename Try>
  bool ahead(unsigned generations, Try attempt) const {
    if (!found(node_)) return false;
    for (unsigned depth = 1; depth <= generations && depth <= 8; ++depth)
      if (offer_generation(node_, depth, attempt)) return true;
    return false;
  }
  template <typename Try>
  bool first_with_room(Try attempt) const {
    return trail_.offer(kAll, attempt);
  }
  template <typename Try>
  bool last_with_room(Try attempt) const {
    return trail_.offer(kAll, attempt);
  }

private:
  template <typename Try>
  bool offer_generation(CellId node, unsigned depth, Try &attempt) const {
    for (unsigned which = 0; which < Links::kLinks; ++which) {
      const CellId child = Links::get(*heap_, node, which);
      if (!found(child)) continue;
      if (depth == 1 ? attempt(child) : offer_generation(child, depth - 1, attempt)) return true;
    }
    return false;
  }

  Heap *heap_;
  Trail<Most> trail_;
  CellId node_ = kNoCell;
};

// A site in a list: the nodes passed, the first and last of them whose block has room, and the node that comes next.
template <typename Heap, typename Links, unsigned Most, bool NotesRoom>
class ListSite {
public:
  explicit ListSite(Heap &heap) : heap_(&heap) {}

  void begin() {
    trail_.clear();
    first_ = last_ = kNoCell;
  }
  void pass(CellId cell) {
    trail_.template pass<typename Heap::Numbers>(cell);
    if constexpr (NotesRoom) {
      if (heap_->is_full(Heap::Numbers::line_of(cell))) return;
      if (!found(first_)) first_ = cell;
      last_ = cell;
    }
  }
  // The node after the place.
  void place(CellId next) { next_ = next; }

  template <typename Try>
  bool back(unsigned most, Try attempt) const {
    return trail_.offer(most, attempt);
  }
  template <typename Try>
  bool ahead(unsigned most, Try attempt) const {
    CellId node = next_;
    for (unsigned i = 0; i < most && found(node); ++i) {
      if (attempt(node)) return true;
      node = Links::get(*heap_, node, 0);
    }
    return false;
  }
  template <typename Try>
  bool first_with_room(Try attempt) const {
    return found(first_) && attempt(first_);
  }
  template <typename Try>
  bool last_with_room(Try attempt) const {
    return found(last_) && attempt(last_);
  }

private:
  Heap *heap_;
  Trail<Most> trail_;
  CellId first_ = kNoCell;
  CellId last_ = kNoCell;
  CellId next_ = kNoCell;
};

} // namespace adcock::move
