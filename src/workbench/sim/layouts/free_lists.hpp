// Space that is handed out from the bottom up; what comes back is used again for the same size, the last one first.
#pragma once

#include "base/units.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace abut::sim {

class FreeLists {
public:
  // Sizes are rounded up to a multiple of `step`, a power of two.
  FreeLists(uint64_t begin, uint64_t step) : next_(begin), step_(step) {}

  static constexpr uint64_t kLargest = uint64_t{1} << 40;

  uint64_t rounded(uint64_t size) const {
    return round_up(std::clamp<uint64_t>(size, 1, kLargest), step_);
  }

  uint64_t take(uint64_t size) {
    const uint64_t bytes = rounded(size);
    std::vector<uint64_t> &list = free_[bytes];
    if (list.empty()) {
      const uint64_t base = next_;
      next_ += bytes;
      return base;
    }
    const uint64_t base = list.back();
    list.pop_back();
    return base;
  }

  void give_back(uint64_t base, uint64_t size) { free_[rounded(size)].push_back(base); }

private:
  uint64_t next_;
  uint64_t step_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> free_;
};

} // namespace abut::sim
