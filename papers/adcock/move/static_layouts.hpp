// Layouts of a structure at rest: what a good line, a good page, or neither gains (Adcock 2009, 3.4.2), and the van Emde
// Boas order, the peer that knows no lines and no pages. An order names the nodes, lowest cell first; kNoCell: a free one.
#pragma once

#include "parts/to_space.hpp"

#include <algorithm>
#include <random>

namespace adcock::move {

using CellOrder = std::vector<CellId>;

template <typename Heap, typename Links>
class StaticLayouts {
public:
  using Numbers = typename Heap::Numbers;
  using Random = std::mt19937_64;

  StaticLayouts(Heap &heap, CellId *roots, std::uint32_t count) : structure_(heap, roots, count) {}

  // The tree's nodes breadth-first in clusters of so many, and cluster after cluster depth-first.
  CellOrder clusters(std::size_t nodes) const {
    CellOrder order;
    std::vector<CellId> waiting{structure_.at({kNoCell, 0})};
    while (!waiting.empty()) {
      CellOrder cluster{waiting.back()};
      waiting.pop_back();
      for (std::size_t i = 0; i < cluster.size(); ++i)
        each_link(cluster[i], [&](CellId child) {
          if (cluster.size() < nodes)
            cluster.push_back(child);
          else
            waiting.push_back(child);
        });
      // Small ones share the room of a large one.
      if (order.size() % nodes + cluster.size() > nodes)
        order.resize((order.size() + nodes - 1) / nodes * nodes, kNoCell);
      order.insert(order.end(), cluster.begin(), cluster.end());
    }
    return order;
  }

  // Its upper half of levels first, then each tree below it, each in the same order.
  CellOrder van_emde_boas() const {
    CellOrder order;
    CellOrder below;
    const CellId root = structure_.at({kNoCell, 0});
    halves(root, height(root), order, below);
    return order;
  }

  CellOrder list(std::uint32_t root) const {
    CellOrder order;
    for (CellId node = structure_.at({kNoCell, root}); found(node);
         node = Links::get(structure_.heap(), node, 0))
      order.push_back(node);
    return order;
  }

  // Moves the nodes into fresh pages in that order, which must name all.
  void arrange(const CellOrder &order) {
    ToSpace<Heap> to(structure_.heap());
    CellOrder target(order.empty() ? 0 : number(std::ranges::max(order)) + 1, kNoCell);
    LineId line = kNoLine;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i % Numbers::kCellsPerLine == 0) line = to.next_line();
      if (found(order[i])) target[number(order[i])] = to.take(line);
    }
    std::vector<Place> waiting;
    for (std::uint32_t root = structure_.roots(); root-- > 0;) waiting.push_back({kNoCell, root});
    while (!waiting.empty()) {
      const Place place = waiting.back();
      waiting.pop_back();
      const CellId from = structure_.at(place);
      if (!found(from)) continue;
      const CellId cell = target[number(from)];
      relocate<Links>(structure_.heap(), from, cell);
      structure_.set(place, cell);
      to.leave(from);
      for (unsigned which = 0; which < Links::kLinks; ++which) waiting.push_back({cell, which});
    }
  }

private:
  template <typename Visit>
  void each_link(CellId node, Visit visit) const {
    for (unsigned which = 0; which < Links::kLinks; ++which)
      if (const CellId child = Links::get(structure_.heap(), node, which); found(child))
        visit(child);
  }
  unsigned height(CellId node) const {
    unsigned most = 0;
    if (!found(node)) return 0;
    each_link(node, [&](CellId child) { most = std::max(most, height(child)); });
    return most + 1;
  }
  void halves(CellId top, unsigned levels, CellOrder &order, CellOrder &below) const {
    if (levels == 1) {
      order.push_back(top);
      each_link(top, [&](CellId child) { below.push_back(child); });
      return;
    }
    CellOrder middle;
    halves(top, levels / 2, order, middle);
    for (const CellId one : middle) halves(one, levels - levels / 2, order, below);
  }

  Structure<Heap, Links> structure_;
};

// Of each part of `outer` of an order, the parts of `length` in any order; the last, if it is shorter, is filled up.
inline CellOrder shuffled_within(CellOrder order, std::size_t outer, std::size_t length,
                                 std::mt19937_64 &random) {
  order.resize((order.size() + outer - 1) / outer * outer, kNoCell);
  CellOrder result;
  result.reserve(order.size());
  std::vector<std::size_t> parts(outer / length);
  for (std::size_t at = 0; at < order.size(); at += outer) {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = at + i * length;
    std::shuffle(parts.begin(), parts.end(), random);
    for (const std::size_t part : parts) {
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(part);
      result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    }
  }
  return result;
}
// The same of the whole order.
inline CellOrder shuffled(const CellOrder &order, std::size_t length, std::mt19937_64 &random) {
  if (order.empty()) return order;
  return shuffled_within(order, (order.size() + length - 1) / length * length, length, random);
}

} // namespace adcock::move
