// A TLB: sets of any number of pages, of which the one used longest ago leaves.
#pragma once

#include "sim/time/machine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace abut::sim {

class PageSets {
public:
  explicit PageSets(const TimedCache &shape)
      : ways_(shape.ways), mask_(shape.sets - 1), pages_(size_t{shape.sets} * shape.ways, kNone),
        used_(pages_.size()) {}

  // Whether the page was here; it becomes the one used last, in place of the one used longest ago.
  bool use(uint64_t page) {
    uint32_t &hint = hints_[page % kHints];
    bool here = pages_[hint] == page;
    if (!here) {
      const size_t first = (page & mask_) * ways_;
      const auto set = pages_.begin() + static_cast<ptrdiff_t>(first);
      const auto found = std::find(set, set + ways_, page);
      here = found != set + ways_;
      const auto used = used_.begin() + static_cast<ptrdiff_t>(first);
      hint = static_cast<uint32_t>(here ? found - pages_.begin()
                                        : std::min_element(used, used + ways_) - used_.begin());
      pages_[hint] = page;
    }
    used_[hint] = ++clock_;
    return here;
  }

private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  static constexpr size_t kHints = 1024;

  ptrdiff_t ways_;
  uint64_t mask_;
  uint64_t clock_ = 0;
  std::vector<uint64_t> pages_;
  std::vector<uint64_t> used_;
  std::array<uint32_t, kHints> hints_{}; // where pages were found last
};

} // namespace abut::sim
