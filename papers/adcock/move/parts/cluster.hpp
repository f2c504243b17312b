// Clusters: the nodes of a tree that share a line, found breadth-first from one of them (Adcock 2009, 3.4.2.1, 5.2).
#pragma once

#include "../links.hpp"

namespace adcock::move {

// A structure in a heap: its roots, and how to follow and mend its links.
template <typename Heap, typename Links>
class Structure {
public:
  Structure(Heap &heap, CellId *roots, std::uint32_t count)
      : heap_(&heap), roots_(roots), count_(count) {}

  Heap &heap() const { return *heap_; }
  std::uint32_t roots() const { return count_; }
  CellId at(Place place) const {
    return found(place.owner) ? Links::get(*heap_, place.owner, place.which) : roots_[place.which];
  }
  void set(Place place, CellId to) const {
    if (found(place.owner)) {
      Links::set(*heap_, place.owner, place.which, to);
    } else {
      roots_[place.which] = to;
    }
  }

private:
  Heap *heap_;
  CellId *roots_;
  std::uint32_t count_;
};

// Wants any node.
struct Every {
  bool operator()(CellId /*node*/) const { return true; }
};

// Up to `Most` nodes in breadth-first order, each with the member that owns it.
template <typename Heap, typename Links, unsigned Most>
class Cluster {
public:
  static constexpr unsigned kAnyHeight = 255;

  unsigned size() const { return size_; }
  CellId operator[](unsigned i) const { return nodes_[i]; }
  // The place of member i > 0.
  Place place(unsigned i) const { return {nodes_[owner_[i]], which_[i]}; }

  // Takes the node of `root` and what lies below it, at most `most` nodes of at most `height` generations, and only
  // nodes that `wanted` accepts.
  template <typename Wanted = Every>
  void gather(const Heap &heap, CellId root, unsigned most, unsigned height = kAnyHeight,
              Wanted wanted = {}) {
    size_ = 0;
    add(root, 0, 0, 1);
    for (unsigned i = 0; i < size_; ++i) {
      if (generation_[i] == height) break;
      for (unsigned which = 0; which < Links::kLinks; ++which) {
        if (size_ == most || size_ >= Most) return; // the second for compilers' sake
        const CellId child = Links::get(heap, nodes_[i], which);
        if (found(child) && wanted(child)) add(child, i, which, generation_[i] + 1u);
      }
    }
  }

  bool in_one_line() const {
    for (unsigned i = 1; i < size_; ++i)
      if (Heap::Numbers::line_of(nodes_[i]) != Heap::Numbers::line_of(nodes_[0])) return false;
    return true;
  }

  // Each place below the cluster that holds a node, in order.
  template <typename Visit>
  void each_below(const Heap &heap, Visit visit) const {
    unsigned next = 1; // members appear as children in the order in which they were gathered
    for (unsigned i = 0; i < size_; ++i) {
      for (unsigned which = 0; which < Links::kLinks; ++which) {
        const CellId child = Links::get(heap, nodes_[i], which);
        if (!found(child)) continue;
        if (next < size_ && nodes_[next] == child) {
          ++next;
        } else {
          visit(Place{nodes_[i], which});
        }
      }
    }
  }

  // Moves all members; `target(i)` is the cell in use for member i, which may be where it is. Mends the links to them,
  // that of the first at `place`. The cells that they leave are handed to `leave`.
  template <typename Target, typename Leave>
  void move(const Structure<Heap, Links> &structure, Place place, Target target, Leave leave) {
    Heap &heap = structure.heap();
    for (unsigned i = 0; i < size_; ++i) {
      const CellId from = nodes_[i];
      const CellId to = target(i);
      if (to == from) continue;
      relocate<Links>(heap, from, to);
      nodes_[i] = to;
      if (i == 0) {
        structure.set(place, to);
      } else {
        structure.set(this->place(i), to);
      }
      leave(from);
    }
  }

  // The same, into the free cells of one line, which must be enough for those that are not there yet.
  void move_to_line(const Structure<Heap, Links> &structure, Place place, LineId line) {
    using Mask = typename Heap::Mask;
    Heap &heap = structure.heap();
    const auto room = static_cast<Mask>(~heap.mask(line) & Heap::kFull);
    auto left = room;
    CellId targets[kRoom];
    for (unsigned i = 0; i < size_; ++i) {
      targets[i] = nodes_[i];
      if (Heap::Numbers::line_of(nodes_[i]) == line) continue;
      targets[i] = Heap::Numbers::cell(line, static_cast<std::uint32_t>(std::countr_zero(left)));
      left = static_cast<Mask>(left & (left - 1));
    }
    heap.change(line, static_cast<Mask>(room & ~left), 0);
    // What leaves a line leaves it at once, so that the heap's tables are written once for it.
    LineId leaving = kNoLine;
    Mask gone = 0;
    const auto leave = [&](CellId from) {
      const LineId source = Heap::Numbers::line_of(from);
      if (source != leaving && gone != 0) heap.free(leaving, gone);
      if (source != leaving) gone = 0;
      leaving = source;
      gone = static_cast<Mask>(gone | Heap::bit(from));
    };
    move(
        structure, place, [&](unsigned i) { return targets[i]; }, leave);
    if (gone != 0) heap.free(leaving, gone);
  }

private:
  void add(CellId node, unsigned owner, unsigned which, unsigned generation) {
    nodes_[size_] = node;
    owner_[size_] = static_cast<std::uint8_t>(owner);
    which_[size_] = static_cast<std::uint8_t>(which);
    generation_[size_] = static_cast<std::uint8_t>(generation);
    ++size_;
  }

  // One more where a cluster is a node, for the sake of compilers that do not see that its loops end.
  static constexpr unsigned kRoom = Most > 1 ? Most : 2;

  unsigned size_ = 0;
  CellId nodes_[kRoom];
  std::uint8_t owner_[kRoom];
  std::uint8_t which_[kRoom];
  std::uint8_t generation_[kRoom];
};

} // namespace adcock::move
