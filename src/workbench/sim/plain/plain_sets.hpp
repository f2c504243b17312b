// The sets of a plain cache: least recently used, and at most 16 ways. Entries stay where they are; their order, from the one used
// last, is a number of 16 digits. Several ways of a set are compared at once, by vector instructions where there are any.
#pragma once

#include "sim/cache/line_request.hpp"
#include "sim/policy/replacement.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::sim {

// What left sets, by the side that had brought it.
struct Left {
  uint64_t all = 0;
  uint64_t dirty = 0;
  uint64_t of_allocator = 0;
  uint64_t dirty_of_allocator = 0;
};

class PlainSets {
public:
  static constexpr uint32_t kMostWays = 16;

  PlainSets(uint64_t sets, uint32_t ways);

  // Runs requests in order. What goes on to the next level is put into `handed`, which has room for twice as many;
  // `missed`: for each, whether it asked for a line that was not there. Answers how many were handed on.
  size_t run(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
             Left &left);

private:
  static constexpr size_t kLanes = 4;
  struct alignas(32) Four {
    std::array<uint64_t, kLanes> entries;
  };
  using Run = size_t (*)(PlainSets &, std::span<const LineRequest>, LineRequest *, uint8_t *,
                         Left &);

  // How a set is looked at: `kFours` times four ways.
  template <size_t kFours, bool kMostlyHits>
  static size_t run_plainly(PlainSets &, std::span<const LineRequest>, LineRequest *, uint8_t *,
                            Left &);
  template <size_t kFours, bool kMostlyHits>
  static size_t run_by_vectors(PlainSets &, std::span<const LineRequest>, LineRequest *, uint8_t *,
                               Left &);
  template <size_t kFours>
  void choose();
  template <size_t kFours, bool kMostlyHits>
  size_t run_all(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
                 Left &left);

  SetIndex index_;
  unsigned last_digit_; // where the order has the way that was used least recently, in bits
  std::vector<Four> fours_;
  std::vector<uint64_t> orders_;
  uint64_t spare_ = 0;  // written to where nothing changes
  bool far_;            // they do not fit the nearest cache of the machine that runs this
  Run run_;             // the way that has no branch on hits
  Run run_mostly_hits_; // the way where most hit
  bool mostly_hits_ = false;
};

} // namespace abut::sim
