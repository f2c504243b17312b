// The orders in which objects can be laid out. Each names rows of a table of objects; those that it does not name are
// the strategy's to add. All take time and memory in proportion to the objects and edges, beside the sorting of edges.
#pragma once

#include "layout/edges.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace abut::place {

// Depth-first along the edges, the heaviest first, from each of `starts` that no walk has come to (Cyll 2004,
// sections 4.4 and 4.6, where they are ordered by size).
std::vector<uint32_t> depth_first(const Graph &graph, std::span<const uint32_t> starts);

// For each row that has edges, in the order of rows, the rows that they lead to; without that row itself (sections 4.5
// and 4.7). Each row once, where it comes first.
std::vector<uint32_t> grouped(const Graph &graph);

// Sequences of rows that were used one after the other again and again: from each row the edge is followed that was
// taken most, if at least twice and for half of all ways on; no row is in two sequences. The ones used most per byte
// come first. `heat` and `size` have a number a row. After Chilimbi's hot data streams.
std::vector<uint32_t> hot_streams(const EdgeList &edges, std::span<const uint64_t> heat,
                                  std::span<const uint32_t> size);

} // namespace abut::place
