// A TLB: sets of any number of pages, of which the one used longest ago leaves.
#pragma once

#include "sim/policy/full.hpp"
#include "sim/time/lru_sets.hpp"

#include <optional>
#include <vector>

namespace abut::sim {

class PageSets {
public:
  explicit PageSets(const TimedCache &shape) : mask_(shape.sets - 1) {
    if (shape.ways <= LruSets::kWays)
      narrow_.emplace(shape);
    else
      for (uint32_t set = 0; set < shape.sets; ++set)
        wide_.emplace_back(SetShape{1, shape.ways, 1});
  }

  // Whether the page was here; it becomes the one used last, in place of the one used longest ago.
  bool use(uint64_t page) {
    if (narrow_) {
      const LruSets::Place place = narrow_->place_of(page);
      const bool here = narrow_->use_again(place) != nullptr;
      if (!here) narrow_->insert(place, 0, false);
      return here;
    }
    FullLru &set = wide_[page & mask_];
    const bool here = set.find(0, page) != nullptr;
    if (!here) set.insert(0, Entry::of(page));
    return here;
  }

private:
  uint64_t mask_;
  std::optional<LruSets> narrow_;
  std::vector<FullLru> wide_;
};

} // namespace abut::sim
