#include "layout/edges.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

namespace abut::place {
namespace {

constexpr size_t kLeast = size_t{1} << 12;
constexpr float kLoad = 0.75F;

constexpr uint64_t key_of(uint32_t from, uint32_t to) { return uint64_t{from} << 32 | to; }

uint32_t saturating_sum(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(uint64_t{a} + b, std::numeric_limits<uint32_t>::max()));
}

} // namespace

EdgeCounter::EdgeCounter(size_t most) : most_(std::bit_ceil(std::max(most, kLeast))) {
  weights_.max_load_factor(kLoad);
}

void EdgeCounter::add(uint32_t from, uint32_t to, uint32_t weight) {
  const auto [found, fresh] = weights_.try_emplace(key_of(from, to), weight);
  if (!fresh)
    found.value() = saturating_sum(found->second, weight);
  else if (4 * weights_.size() > 3 * most_)
    forget();
}

// Halves the table.
void EdgeCounter::forget() {
  const size_t before = weights_.size();
  while (4 * weights_.size() > 2 * most_) {
    for (auto at = weights_.begin(); at != weights_.end();)
      at = at->second <= threshold_ ? weights_.erase(at) : std::next(at);
    if (4 * weights_.size() > 2 * most_) threshold_ = saturating_sum(threshold_, threshold_);
  }
  forgotten_ += before - weights_.size();
}

EdgeList EdgeCounter::take() {
  std::vector<std::pair<uint64_t, uint32_t>> rows(weights_.begin(), weights_.end());
  weights_ = {};
  weights_.max_load_factor(kLoad);
  std::sort(rows.begin(), rows.end());
  EdgeList edges;
  edges.from.reserve(rows.size());
  edges.to.reserve(rows.size());
  edges.weight.reserve(rows.size());
  for (const auto &[key, weight] : rows) {
    edges.from.push_back(static_cast<uint32_t>(key >> 32));
    edges.to.push_back(static_cast<uint32_t>(key));
    edges.weight.push_back(weight);
  }
  return edges;
}

Graph::Graph(uint32_t nodes, const EdgeList &edges)
    : starts_(size_t{nodes} + 1), edges_(edges.count()) {
  for (const uint32_t from : edges.from) ++starts_[from + 1];
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  std::vector<uint64_t> next(starts_.begin(), starts_.end() - 1);
  for (size_t i = 0; i < edges.count(); ++i)
    edges_[next[edges.from[i]]++] = {edges.to[i], edges.weight[i]};
  for (uint32_t node = 0; node < nodes; ++node)
    std::stable_sort(edges_.begin() + static_cast<ptrdiff_t>(starts_[node]),
                     edges_.begin() + static_cast<ptrdiff_t>(starts_[node + 1]),
                     [](const Edge &a, const Edge &b) { return a.weight > b.weight; });
}

} // namespace abut::place
