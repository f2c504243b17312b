#include "layout/orders.hpp"

#include <algorithm>

namespace abut::place {

std::vector<uint32_t> depth_first(const Graph &graph, std::span<const uint32_t> starts) {
  struct Visit {
    uint32_t node;
    uint64_t next; // edge
  };
  std::vector<uint32_t> order;
  std::vector<bool> placed(graph.nodes());
  std::vector<Visit> path;
  const auto come_to = [&](uint32_t node) {
    placed[node] = true;
    order.push_back(node);
    path.push_back({node, 0});
  };
  for (const uint32_t start : starts) {
    if (start >= graph.nodes() || placed[start]) continue;
    come_to(start);
    while (!path.empty()) {
      Visit &visit = path.back();
      const Graph::Edge *edge = graph.begin(visit.node) + visit.next;
      if (edge == graph.end(visit.node)) {
        path.pop_back();
        continue;
      }
      ++visit.next;
      if (!placed[edge->to]) come_to(edge->to);
    }
  }
  return order;
}

std::vector<uint32_t> grouped(const Graph &graph) {
  std::vector<uint32_t> order;
  std::vector<bool> placed(graph.nodes());
  for (uint32_t node = 0; node < graph.nodes(); ++node)
    for (const Graph::Edge *edge = graph.begin(node); edge != graph.end(node); ++edge) {
      if (placed[edge->to]) continue;
      placed[edge->to] = true;
      order.push_back(edge->to);
    }
  return order;
}

namespace {

constexpr uint32_t kNone = UINT32_MAX;

// The row that most ways from each row lead to; none where no such edge repeats, or all of them lead less than a quarter.
std::vector<uint32_t> likely_next(const EdgeList &edges, size_t rows) {
  struct Ways {
    uint64_t all = 0;
    uint32_t most = 1;
  };
  std::vector<Ways> ways(rows);
  std::vector<uint32_t> next(rows, kNone);
  for (size_t i = 0; i < edges.count(); ++i) {
    Ways &from = ways[edges.from[i]];
    from.all += edges.weight[i];
    if (edges.weight[i] <= from.most) continue;
    from.most = edges.weight[i];
    next[edges.from[i]] = edges.to[i];
  }
  for (size_t row = 0; row < rows; ++row)
    if (uint64_t{ways[row].most} * 4 < ways[row].all) next[row] = kNone;
  return next;
}

// Of several rows with the same next one, the hottest keeps it; circles are cut where they are met first.
void keep_one_before_each(std::vector<uint32_t> &next, std::span<const uint64_t> heat) {
  std::vector<uint32_t> before(next.size(), kNone);
  for (uint32_t row = 0; row < next.size(); ++row) {
    const uint32_t to = next[row];
    if (to == kNone) continue;
    uint32_t &holder = before[to];
    if (holder != kNone && heat[holder] >= heat[row]) {
      next[row] = kNone;
      continue;
    }
    if (holder != kNone) next[holder] = kNone;
    holder = row;
  }
}

struct Stream {
  double density = 0; // accesses a byte
  uint32_t first = 0;
};

} // namespace

std::vector<uint32_t> hot_streams(const EdgeList &edges, std::span<const uint64_t> heat,
                                  std::span<const uint32_t> size) {
  const auto rows = static_cast<uint32_t>(heat.size());
  std::vector<uint32_t> next = likely_next(edges, rows);
  keep_one_before_each(next, heat);
  std::vector<bool> is_followed(rows), seen(rows);
  for (const uint32_t to : next)
    if (to != kNone) is_followed[to] = true;
  std::vector<Stream> streams;
  const auto add_stream = [&](uint32_t first) {
    double uses = 0, bytes = 0;
    uint32_t last = first;
    for (uint32_t row = first; row != kNone && !seen[row]; last = row, row = next[row]) {
      seen[row] = true;
      uses += static_cast<double>(heat[row]);
      bytes += size[row];
    }
    next[last] = kNone;
    streams.push_back({bytes == 0 ? 0 : uses / bytes, first});
  };
  for (uint32_t row = 0; row < rows; ++row)
    if (!is_followed[row] && next[row] != kNone) add_stream(row);
  for (uint32_t row = 0; row < rows; ++row)
    if (!seen[row] && next[row] != kNone) add_stream(row);
  std::stable_sort(streams.begin(), streams.end(),
                   [](const Stream &a, const Stream &b) { return a.density > b.density; });
  std::vector<uint32_t> order;
  for (const Stream &stream : streams)
    for (uint32_t row = stream.first; row != kNone; row = next[row]) order.push_back(row);
  return order;
}

} // namespace abut::place
