// Weighted edges between things by number, counted as they come.
#pragma once

#include "trace/hash_map.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::place {

// Edges as columns, by where they begin, then by where they end.
struct EdgeList {
  std::vector<uint32_t> from, to, weight;

  size_t count() const { return from.size(); }
};

// Counts edges in a hash table of at most `most` of them. When that is full, edges that came once only are forgotten, and
// then those of twice as much: what is used often stays. 24 bytes an edge, at least a quarter of the table empty.
class EdgeCounter {
public:
  static constexpr size_t kMost = size_t{1} << 26;

  explicit EdgeCounter(size_t most = kMost);

  void add(uint32_t from, uint32_t to, uint32_t weight = 1);

  // How many edges were dropped because the table was full.
  uint64_t forgotten() const { return forgotten_; }

  // Sorted by both ends; the counter is empty afterwards.
  EdgeList take();

private:
  void forget();

  size_t most_;
  uint32_t threshold_ = 1;
  uint64_t forgotten_ = 0;
  trace::NumberMap<uint32_t> weights_; // by both ends
};

// The edges of each node side by side, the heaviest first; of equal ones the first of the list.
class Graph {
public:
  Graph(uint32_t nodes, const EdgeList &edges);

  struct Edge {
    uint32_t to;
    uint32_t weight;
  };
  uint32_t nodes() const { return static_cast<uint32_t>(starts_.size() - 1); }
  const Edge *begin(uint32_t node) const { return edges_.data() + starts_[node]; }
  const Edge *end(uint32_t node) const { return edges_.data() + starts_[node + 1]; }

private:
  std::vector<uint64_t> starts_;
  std::vector<Edge> edges_;
};

} // namespace abut::place
