// The dictionary of DICT with a layout that is put right after every update (Adcock 2009, 6.2).
#pragma once

#include "adcock/move/perfect_tree.hpp"
#include "move/dict_tree.hpp"

namespace bench {

template <adcock::move::Geometry Wanted>
using PerfectHeap = adcock::move::RdsHeap<
    DictNode, Wanted,
    adcock::move::Newblock<adcock::move::Level::line, adcock::move::Level::heap>::needs()>;

template <adcock::move::Geometry Wanted, adcock::move::Shape Form, unsigned Depth>
class PerfectDict : public DictNodes<PerfectHeap<Wanted>> {
  using Nodes = DictNodes<PerfectHeap<Wanted>>;
  using Nodes::heap_, Nodes::root_, Nodes::moves_fields_, Nodes::random_, Nodes::set;

public:
  using Nodes::at;
  using typename Nodes::Heap;
  using Layout = adcock::move::PerfectTree<Heap, DictLinks, Form, Depth>;
  static constexpr bool kPerfect = true;

  explicit PerfectDict(bool moves_fields, std::uint64_t seed)
      : Nodes(moves_fields, seed), layout_(heap_, &root_) {}

  Layout &layout() { return layout_; }

  template <typename OnLink>
  Place find(std::uint32_t key, OnLink /*on_link*/) {
    cursor_ = {};
    for (CellId node = root_; found(node); node = at(cursor_.place)) {
      const DictNode &here = heap_[node];
      if (here.key == key) break;
      step(cursor_, key < here.key ? 0u : 1u);
    }
    return cursor_.place;
  }
  // Where a node of the key goes; behind those of the same key.
  Place find_gap(std::uint32_t key) {
    cursor_ = {};
    for (CellId node = root_; found(node); node = at(cursor_.place))
      step(cursor_, key < heap_[node].key ? 0u : 1u);
    return cursor_.place;
  }

  // Takes out the node that was found last. The cell that is no longer needed, if it has not been freed.
  template <typename OnWrite>
  CellId remove(Place /*place*/, OnWrite /*on_write*/) {
    const CellId node = at(cursor_.place);
    const CellId left = heap_[node].child[0];
    const CellId right = heap_[node].child[1];
    if (!found(left) || !found(right)) {
      set(cursor_.place, found(left) ? left : right);
      return finish(node, cursor_.top);
    }
    const std::uint32_t side = random_.next() >> 63;
    Cursor near = cursor_;
    step(near, side);
    while (found(heap_[at(near.place)].child[1 - side])) step(near, 1 - side);
    const CellId neighbour = at(near.place);
    set(near.place, heap_[neighbour].child[side]);
    if (moves_fields_) {
      heap_[node].key = heap_[neighbour].key;
      heap_[node].value = heap_[neighbour].value;
      return finish(neighbour, near.top);
    }
    const bool together =
        near.top.owner == cursor_.top.owner && near.top.which == cursor_.top.which;
    if (!together && near.top.owner != node) layout_.repair(near.top);
    const bool below = near.top.owner == node;
    heap_[neighbour].child[0] = heap_[node].child[0];
    heap_[neighbour].child[1] = heap_[node].child[1];
    set(cursor_.place, neighbour);
    if (below) layout_.repair({neighbour, near.top.which});
    layout_.repair(cursor_.top);
    return node;
  }

  template <typename OnWrite>
  void attach(Place place, CellId cell, std::uint32_t key, OnWrite /*on_write*/) {
    if (found(cell)) heap_.free(cell);
    cell = layout_.cell_for(cursor_.top, place, cursor_.generation);
    heap_[cell] = DictNode{{kNoCell, kNoCell}, key, key};
    set(place, cell);
    layout_.attached(cursor_.top, cell);
  }
  CellId fresh_cell() { return kNoCell; }

private:
  // A place, the place of the first node of its cluster, and which generation of that cluster it is.
  struct Cursor {
    Place place;
    Place top;
    unsigned generation = 1;
  };

  void step(Cursor &cursor, std::uint32_t which) const {
    const CellId node = at(cursor.place);
    cursor.place = {node, which};
    ++cursor.generation;
    const CellId child = at(cursor.place);
    if (found(child) && layout_.begins_cluster(node, child, cursor.generation)) {
      cursor.top = cursor.place;
      cursor.generation = 1;
    }
  }
  // The node has been cut out. Where its cell may be used again, it is free before the layout is put right.
  CellId finish(CellId node, Place top) {
    if (!moves_fields_) {
      layout_.repair(top);
      return node;
    }
    heap_.free(node);
    layout_.repair(top);
    return kNoCell;
  }

  Layout layout_;
  Cursor cursor_;
};

} // namespace bench
