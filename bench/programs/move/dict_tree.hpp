// The dictionary of Adcock's DICT (2009, 3.2.1): an unbalanced search tree of nodes of 16 bytes, with hooks where its
// links change. What is done there is the template's: strategies for the three sites, and a mover.
#pragma once

#include "adcock/move/site.hpp"
#include "adcock/move/tree_mover.hpp"
#include "common/random.hpp"

#include <cstdint>

namespace bench {

using adcock::move::CellId;
using adcock::move::found;
using adcock::move::kNoCell;
using adcock::move::Place;

struct DictNode {
  CellId child[2];
  std::uint32_t key;
  std::uint32_t value;
};
using DictLinks = adcock::move::IndexLinks<&DictNode::child, 2>;

// Which strategies are applied at the sites of DICT (4.3.1).
template <typename Insert, typename DeleteCut, typename DeleteMove>
struct DictSites {
  using InsertSite = Insert;
  using DeleteCutSite = DeleteCut;
  using DeleteMoveSite = DeleteMove;
  static constexpr adcock::move::Needs needs() {
    return Insert::needs() | DeleteCut::needs() | DeleteMove::needs();
  }
  static constexpr unsigned kTrail =
      std::max({Insert::kTrail, DeleteCut::kTrail, DeleteMove::kTrail});
};
using NoSites =
    DictSites<adcock::move::Strategy<>, adcock::move::Strategy<>, adcock::move::Strategy<>>;

// The nodes of a tree, and what can be done with them whatever its layout.
template <typename HeapType>
class DictNodes {
public:
  using Heap = HeapType;

  DictNodes(bool moves_fields, std::uint64_t seed) : moves_fields_(moves_fields), random_(seed) {}

  Heap &heap() { return heap_; }
  CellId &root() { return root_; }
  std::uint32_t key(CellId node) const { return heap_[node].key; }
  CellId at(Place place) const {
    return found(place.owner) ? heap_[place.owner].child[place.which] : root_;
  }
  // Looks at each node on the way to a key.
  template <typename Look>
  void visit(std::uint32_t key, Look look) const {
    CellId node = root_;
    while (found(node)) {
      const DictNode &here = heap_[node];
      look(&here);
      if (here.key == key) return;
      node = here.child[key < here.key ? 0 : 1];
    }
  }

protected:
  void set(Place place, CellId to) {
    if (found(place.owner)) {
      heap_[place.owner].child[place.which] = to;
    } else {
      root_ = to;
    }
  }

  Heap heap_;
  CellId root_ = kNoCell;
  bool moves_fields_;
  Random random_;
};

template <adcock::move::Geometry Shape, adcock::move::Needs More, typename Sites>
class DictTree : public DictNodes<adcock::move::RdsHeap<DictNode, Shape, More | Sites::needs()>> {
  using Nodes = DictNodes<adcock::move::RdsHeap<DictNode, Shape, More | Sites::needs()>>;
  using Nodes::heap_, Nodes::root_, Nodes::moves_fields_, Nodes::random_, Nodes::set;

public:
  static constexpr bool kPerfect = false;
  using Nodes::at;
  using typename Nodes::Heap;

  explicit DictTree(bool moves_fields, std::uint64_t seed)
      : Nodes(moves_fields, seed), site_(heap_) {}

  // The place of the key's node; where there is none, the empty place it would have.
  template <typename OnLink>
  Place find(std::uint32_t key, OnLink on_link) {
    Place place;
    site_.begin();
    for (CellId node = root_; found(node); node = at(place)) {
      on_link(place);
      node = at(place); // it may have been moved
      if constexpr (Sites::kTrail > 0) site_.pass(node);
      const DictNode &here = heap_[node];
      if (here.key == key) return place;
      place = {node, key < here.key ? 0u : 1u};
    }
    return place;
  }

  // Where a node of the key goes; behind those of the same key.
  Place find_gap(std::uint32_t key) {
    Place place;
    site_.begin();
    for (CellId node = root_; found(node); node = at(place)) {
      if constexpr (Sites::kTrail > 0) site_.pass(node);
      place = {node, key < heap_[node].key ? 0u : 1u};
    }
    return place;
  }

  // Takes the node at `place` out of the tree; gives the cell that is no longer needed.
  template <typename OnWrite>
  CellId remove(Place place, OnWrite on_write) {
    const CellId node = at(place);
    const CellId left = heap_[node].child[0];
    const CellId right = heap_[node].child[1];
    if (!found(left) || !found(right)) {
      cut(place, found(left) ? left : right, on_write);
      return node;
    }
    const std::uint32_t side = random_.next() >> 63;
    Place near{node, side};
    while (found(heap_[at(near)].child[1 - side])) {
      if constexpr (Sites::kTrail > 0) site_.pass(at(near));
      near = {at(near), 1 - side};
    }
    const CellId neighbour = at(near);
    if (moves_fields_) {
      heap_[node].key = heap_[neighbour].key;
      heap_[node].value = heap_[neighbour].value;
      cut(near, heap_[neighbour].child[side], on_write);
      return neighbour;
    }
    cut(near, heap_[neighbour].child[side], on_write);
    for (std::uint32_t which = 0; which < 2; ++which)
      link({neighbour, which}, heap_[node].child[which], on_write);
    link(place, neighbour, on_write);
    if constexpr (!Sites::DeleteMoveSite::kIsNull) {
      // The hints are what lies around the place that the node has now.
      site_.begin();
      if (found(place.owner)) site_.pass(place.owner);
      reallocate<typename Sites::DeleteMoveSite>(place, neighbour);
    }
    return node;
  }

  // Puts a node of `key` into the empty `place`; `cell` is one that is in use for nothing.
  template <typename OnWrite>
  void attach(Place place, CellId cell, std::uint32_t key, OnWrite on_write) {
    if constexpr (!Sites::InsertSite::kIsNull) {
      if (!coallocates_) return put(place, cell, key, on_write);
      site_.place(kNoCell);
      const CellId better = Sites::InsertSite::allocate(heap_, site_, cell);
      if (found(better) && better != cell) {
        heap_.free(cell);
        cell = better;
      }
    }
    put(place, cell, key, on_write);
  }
  // From here on nodes are inserted into the cell that is at hand: coallocation is static, of the program's own requests.
  void stop_coallocating() { coallocates_ = false; }

  // A cell anywhere, while the tree is built.
  CellId fresh_cell() {
    if (!found(line_) || heap_.is_full(line_)) line_ = Heap::Numbers::line(heap_.grow(), 0);
    const CellId cell = heap_.take(line_);
    if (heap_.is_full(line_) &&
        Heap::Numbers::line_in_page(line_) + 1 < Heap::Numbers::kLinesPerPage)
      line_ = adcock::move::LineId{number(line_) + 1};
    return cell;
  }

private:
  template <typename OnWrite>
  void put(Place place, CellId cell, std::uint32_t key, OnWrite on_write) {
    heap_[cell] = DictNode{{kNoCell, kNoCell}, key, key};
    link(place, cell, on_write);
  }

  template <typename OnWrite>
  void link(Place place, CellId to, OnWrite on_write) {
    set(place, to);
    on_write(place);
  }

  template <typename OnWrite>
  void cut(Place place, CellId below, OnWrite on_write) {
    link(place, below, on_write);
    if constexpr (!Sites::DeleteCutSite::kIsNull)
      if (found(below)) reallocate<typename Sites::DeleteCutSite>(place, below);
  }

  template <typename Strategy>
  void reallocate(Place place, CellId node) {
    site_.place(node);
    const CellId cell = Strategy::allocate(heap_, site_, node);
    if (!found(cell) || cell == node) return;
    adcock::move::relocate<DictLinks>(heap_, node, cell);
    set(place, cell);
    heap_.free(node);
  }

  adcock::move::Site<Heap, DictLinks, Sites::kTrail> site_;
  bool coallocates_ = true;
  adcock::move::LineId line_ = adcock::move::kNoLine;
};

} // namespace bench
