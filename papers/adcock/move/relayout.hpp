// Laying a whole structure out again at one go: Chilimbi's ccmorph as a call, and the stop-the-world movers with two
// spaces (Adcock 2009, 5.2: periodic2space, periodic2space-nested).
#pragma once

#include "parts/to_space.hpp"

#include <algorithm>

namespace adcock::move {

enum class Nesting : std::uint8_t {
  lines,          // clusters fill lines, lines follow each other depth-first
  lines_in_pages, // and lines fill pages breadth-first, so that a path meets few pages
};

namespace detail {

template <typename Heap, typename Links>
class TreeRelayout {
public:
  static constexpr unsigned kMost = Heap::Numbers::kCellsPerLine;

  explicit TreeRelayout(const Structure<Heap, Links> &structure)
      : structure_(structure), to_(structure.heap()) {}

  std::size_t run(Nesting nesting) {
    for (std::uint32_t root = structure_.roots(); root-- > 0;) waiting_.push_back({kNoCell, root});
    if (nesting == Nesting::lines) {
      while (!waiting_.empty()) move_one();
    } else {
      while (!waiting_.empty()) fill_page();
    }
    return moved_;
  }

private:
  // The cluster at the last place that waits; what lies below it waits then, the first link's last.
  void move_one() {
    const Place place = waiting_.back();
    waiting_.pop_back();
    const std::size_t before = waiting_.size();
    move_cluster(place, waiting_);
    std::reverse(waiting_.begin() + static_cast<std::ptrdiff_t>(before), waiting_.end());
  }

  // Clusters breadth-first from the last place that waits, until a page is full.
  void fill_page() {
    std::vector<Place> queue{waiting_.back()};
    waiting_.pop_back();
    std::size_t next = 0;
    if (to_.lines_left_in_page() == 0) move_cluster(queue[next++], queue);
    while (next < queue.size() && to_.lines_left_in_page() > 0) {
      const Place place = queue[next++];
      move_cluster(place, queue);
    }
    waiting_.insert(waiting_.end(), queue.rbegin(),
                    queue.rend() - static_cast<std::ptrdiff_t>(next));
  }

  void move_cluster(Place place, std::vector<Place> &below) {
    const CellId node = structure_.at(place);
    if (!found(node)) return;
    Heap &heap = structure_.heap();
    cluster_.gather(heap, node, kMost);
    const LineId line = to_.line_for(cluster_.size());
    cluster_.move(
        structure_, place, [&](unsigned) { return to_.take(line); },
        [&](CellId from) { to_.leave(from); });
    moved_ += cluster_.size();
    cluster_.each_below(heap, [&](Place child) {
      __builtin_prefetch(heap.address(structure_.at(child)));
      below.push_back(child);
    });
  }

  Structure<Heap, Links> structure_;
  ToSpace<Heap> to_;
  std::vector<Place> waiting_;
  Cluster<Heap, Links, kMost> cluster_;
  std::size_t moved_ = 0;
};

template <typename Heap, typename Links>
std::size_t relayout_lists(const Structure<Heap, Links> &structure) {
  Heap &heap = structure.heap();
  ToSpace<Heap> to(heap);
  std::size_t moved = 0;
  LineId line = kNoLine;
  for (std::uint32_t root = 0; root < structure.roots(); ++root) {
    Place place{kNoCell, root};
    for (CellId from = structure.at(place); found(from); from = structure.at(place)) {
      __builtin_prefetch(heap.address(Links::get(heap, from, 0)));
      if (!found(line) || heap.is_full(line)) line = to.next_line();
      const CellId cell = to.take(line);
      relocate<Links>(heap, from, cell);
      structure.set(place, cell);
      to.leave(from);
      place = {cell, 0};
      ++moved;
    }
  }
  return moved;
}

} // namespace detail

// Moves all that can be reached from the roots into fresh pages: trees in clusters of a line, lists end to end. For the
// time of it the heap has up to twice its pages; `trim` gives them back. How many nodes moved. All cells' numbers and
// pointers to nodes that a caller has are invalid then.
template <typename Links, typename Heap>
std::size_t relayout(Heap &heap, CellId *roots, std::uint32_t count,
                     Nesting nesting = Nesting::lines) {
  const Structure<Heap, Links> structure(heap, roots, count);
  if constexpr (Links::kLinks == 1) {
    static_cast<void>(nesting);
    return detail::relayout_lists(structure);
  } else {
    return detail::TreeRelayout<Heap, Links>(structure).run(nesting);
  }
}
template <typename Links, typename Heap>
std::size_t relayout(Heap &heap, CellId &root, Nesting nesting = Nesting::lines) {
  return relayout<Links>(heap, &root, 1, nesting);
}

} // namespace adcock::move
