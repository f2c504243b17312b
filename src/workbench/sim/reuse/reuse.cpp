#include "sim/reuse/reuse.hpp"

#include "trace/rows.hpp"

#include <algorithm>
#include <numeric>

namespace abut::sim {

void ReuseDistances::take(const References &references) {
  for_each_block(references, shift_, [this](uint64_t block, size_t side) {
    if (block == last_)
      ++distances_[side][0];
    else
      add(block, side);
  });
}

void ReuseDistances::add(uint64_t block, size_t side) {
  last_ = block;
  const uint32_t number = numbers_.number(block);
  if (!recency_.holds(number)) {
    recency_.push(number);
    ++cold_[side];
    return;
  }
  ++trace::row_of(distances_[side], recency_.touch(number));
}

uint64_t ReuseDistances::references(size_t side) const {
  return std::accumulate(distances_[side].begin(), distances_[side].end(), cold_[side]);
}

} // namespace abut::sim
