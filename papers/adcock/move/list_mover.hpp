// Movers of many lists within one space: each list goes, in order, into the emptiest blocks there are (Adcock 2009, 5.3 to
// 5.6, for MLIST). Blocks are the heap's pages: moved together, nodes gain more from pages than from lines (7.2.2.3).
#pragma once

#include "parts/cluster.hpp"

namespace adcock::move {

// How far a move that is embedded in a walk goes on after the walk has ended (5.5.2).
enum class Extent : std::uint8_t { as_walked, to_end_of_block, to_end_of_list };

struct ListRules {
  // Blocks with less room are left alone, in free cells.
  std::uint32_t threshold = 1;
  // While there is no such block, nodes go to the fullest blocks instead.
  bool compacts = false;
};

template <typename Heap, typename Links>
class ListMover {
  static_assert(Links::kLinks == 1);

public:
  using Numbers = typename Heap::Numbers;
  static constexpr Needs needs() {
    using enum Level;
    return Emptiest<page, heap>::needs() | Fullest<page, heap>::needs() |
           Lowest<cell, page>::needs();
  }

  ListMover(Heap &heap, CellId *roots, std::uint32_t count, ListRules rules = {})
      : structure_(heap, roots, count), rules_(rules) {}

  // All lists (periodic1space).
  void pass() {
    for (std::uint32_t root = 0; root < structure_.roots(); ++root) move_list(root);
  }
  // The next lists in turn, whole, until `nodes` nodes were looked at (incremental1space).
  void step(std::size_t nodes) {
    for (std::size_t looked = 0; looked < nodes;) {
      looked += 1 + move_list(next_root_);
      next_root_ = next_root_ + 1 == structure_.roots() ? 0 : next_root_ + 1;
    }
  }

  // Begins a move that is embedded in a walk from the start of a list.
  void begin_walk() { block_ = kNoPage; }
  // Moves the node at `place`, to which the walk has come; where it is then.
  CellId visit(Place place) {
    const CellId node = structure_.at(place);
    if (!has_room() && !next_block()) {
      return rules_.compacts ? compact(place, node) : node;
    }
    return move_to(place, node, block_);
  }
  // Goes on from `place` after the walk has ended there.
  void end_walk(Place place, Extent extent) {
    if (extent == Extent::as_walked) return;
    for (CellId node = structure_.at(place); found(node); node = structure_.at(place)) {
      if (extent == Extent::to_end_of_block && !has_room()) return;
      place = {visit(place), 0};
    }
  }

private:
  std::size_t move_list(std::uint32_t root) {
    begin_walk();
    std::size_t looked = 0;
    Place place{kNoCell, root};
    for (CellId node = structure_.at(place); found(node); node = structure_.at(place)) {
      __builtin_prefetch(structure_.heap().address(Links::get(structure_.heap(), node, 0)));
      place = {visit(place), 0};
      ++looked;
    }
    return looked;
  }
  bool has_room() const { return found(block_) && !structure_.heap().is_full(block_); }
  bool next_block() {
    block_ = structure_.heap().find(Emptiest<Level::page, Level::heap>{});
    if (found(block_) && structure_.heap().space(block_) >= rules_.threshold) return true;
    block_ = kNoPage;
    return false;
  }
  CellId compact(Place place, CellId node) {
    Heap &heap = structure_.heap();
    const PageId fullest = heap.find(Fullest<Level::page, Level::heap>{});
    const PageId home = Numbers::page_of(node);
    if (!found(fullest) || fullest == home || heap.count(fullest) < heap.count(home)) return node;
    return move_to(place, node, fullest);
  }
  CellId move_to(Place place, CellId node, PageId block) {
    Heap &heap = structure_.heap();
    const CellId to = heap.find(Lowest<Level::cell, Level::page>{}, block);
    relocate<Links>(heap, node, to);
    structure_.set(place, to);
    heap.free(node);
    return to;
  }

  Structure<Heap, Links> structure_;
  ListRules rules_;
  PageId block_ = kNoPage;
  std::uint32_t next_root_ = 0;
};

} // namespace adcock::move
