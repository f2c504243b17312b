// What a mover must know of a node: which links it has, and how to change them. For a type of node, a struct with
//
//   static constexpr unsigned kLinks;                              how many links a node has
//   static CellId get(const Heap &, CellId node, unsigned which);  where a link leads
//   static void set(Heap &, CellId node, unsigned which, CellId to);
//
// and, only where there is more to mend when a node moves:
//
//   static void moved(Heap &, CellId from, CellId to);             after the node lies at `to`, before `from` is free
//
// A node has one owner: the link or the root that leads to it (2.3.2.1). Who moves a node always came along that link,
// so it is at hand. What else points at a node, is updated by `moved`.
#pragma once

#include "rds_heap.hpp"

#include <cstring>
#include <type_traits>

namespace adcock::move {

// One link, which is a cell's number, or an array of such links.
template <auto Member, unsigned Count = 1>
struct IndexLinks {
  static constexpr unsigned kLinks = Count;
  static auto &link(auto &node, unsigned which) {
    if constexpr (Count == 1)
      return node.*Member;
    else
      return (node.*Member)[which];
  }
  template <typename Heap>
  static CellId get(const Heap &heap, CellId node, unsigned which) {
    return link(heap[node], which);
  }
  template <typename Heap>
  static void set(Heap &heap, CellId node, unsigned which, CellId to) {
    link(heap[node], which) = to;
  }
};

// Where a node is held: a link of another node, or a root of the structure.
struct Place {
  CellId owner = kNoCell; // kNoCell: a root
  std::uint32_t which = 0;
};

// Puts the node of `from` into `to`, which is in use and empty. `from` stays in use, its node is gone. Links to it are
// the caller's to mend.
template <typename Links, typename Heap>
void relocate(Heap &heap, CellId from, CellId to) {
  using Node = typename Heap::NodeType;
  static_assert(std::is_trivially_copyable_v<Node>);
  std::memcpy(heap.address(to), heap.address(from), sizeof(Node));
  if constexpr (requires { Links::moved(heap, from, to); }) Links::moved(heap, from, to);
}

} // namespace adcock::move
