#include "layout/edges.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace abut::place {
namespace {

constexpr uint64_t kEmpty = ~uint64_t{0};
constexpr size_t kFirstRoom = size_t{1} << 12;

constexpr uint64_t key_of(uint32_t from, uint32_t to) { return uint64_t{from} << 32 | to; }

constexpr uint64_t mixed(uint64_t key) {
  key *= 0x9e3779b97f4a7c15U;
  return key ^ (key >> 32);
}

uint32_t saturating_sum(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(uint64_t{a} + b, std::numeric_limits<uint32_t>::max()));
}

} // namespace

EdgeCounter::EdgeCounter(size_t most)
    : most_(std::max(most, kFirstRoom)), keys_(kFirstRoom, kEmpty), weights_(kFirstRoom) {}

size_t EdgeCounter::find(uint64_t key) const {
  const size_t mask = keys_.size() - 1;
  size_t at = mixed(key) & mask;
  while (keys_[at] != key && keys_[at] != kEmpty) at = (at + 1) & mask;
  return at;
}

void EdgeCounter::add(uint32_t from, uint32_t to, uint32_t weight) {
  const size_t at = find(key_of(from, to));
  if (keys_[at] != kEmpty) {
    weights_[at] = saturating_sum(weights_[at], weight);
    return;
  }
  keys_[at] = key_of(from, to);
  weights_[at] = weight;
  if (4 * ++count_ <= 3 * keys_.size()) return;
  if (keys_.size() < most_)
    grow();
  else
    forget();
}

void EdgeCounter::refill(std::vector<uint64_t> keys, std::vector<uint32_t> weights) {
  count_ = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == kEmpty) continue;
    const size_t at = find(keys[i]);
    keys_[at] = keys[i];
    weights_[at] = weights[i];
    ++count_;
  }
}

void EdgeCounter::grow() {
  std::vector<uint64_t> keys(keys_.size() * 2, kEmpty);
  std::vector<uint32_t> weights(weights_.size() * 2);
  keys.swap(keys_);
  weights.swap(weights_);
  refill(std::move(keys), std::move(weights));
}

void EdgeCounter::forget() {
  const size_t before = count_;
  while (4 * count_ > 2 * keys_.size()) {
    std::vector<uint64_t> keys(keys_.size(), kEmpty);
    std::vector<uint32_t> weights(weights_.size());
    keys.swap(keys_);
    weights.swap(weights_);
    for (size_t i = 0; i < keys.size(); ++i)
      if (weights[i] <= threshold_) keys[i] = kEmpty;
    refill(std::move(keys), std::move(weights));
    if (4 * count_ > 2 * keys_.size()) threshold_ = saturating_sum(threshold_, threshold_);
  }
  forgotten_ += before - count_;
}

EdgeList EdgeCounter::take() {
  std::vector<std::pair<uint64_t, uint32_t>> rows;
  rows.reserve(count_);
  for (size_t i = 0; i < keys_.size(); ++i)
    if (keys_[i] != kEmpty) rows.emplace_back(keys_[i], weights_[i]);
  keys_.assign(kFirstRoom, kEmpty);
  keys_.shrink_to_fit();
  weights_.assign(kFirstRoom, 0);
  weights_.shrink_to_fit();
  count_ = 0;
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
