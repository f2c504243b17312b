// How much a run needs at the most, of what: read from its events before it is laid out.
#pragma once

#include "base/units.hpp"
#include "sim/layouts/free_lists.hpp"
#include "trace/reader.hpp"

#include <cstdint>
#include <map>

namespace abut::sim {

// Objects begin at multiples of this and take multiples of it, as under most allocators.
inline constexpr uint64_t kGranule = 16;

inline uint64_t granules(uint64_t size) {
  return round_up(std::clamp<uint64_t>(size, 1, FreeLists::kLargest), kGranule) / kGranule;
}

class Demand {
public:
  static Demand of(trace::Reader &reader);

  // The most granules that objects of a page or less had at one time.
  uint64_t most_small_granules() const { return most_small_; }
  // For each size in bytes, rounded up to granules, how many there were at one time.
  const std::map<uint64_t, uint64_t> &most_by_size() const { return most_; }

private:
  void take(const trace::Event &event);
  void add(uint64_t size);
  void remove(uint64_t size);

  std::vector<uint64_t> sizes_; // of live objects by number; 0: not live
  std::map<uint64_t, uint64_t> live_;
  std::map<uint64_t, uint64_t> most_;
  uint64_t small_ = 0;
  uint64_t most_small_ = 0;
};

} // namespace abut::sim
