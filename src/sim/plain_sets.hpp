// The sets of a plain cache: least recently used, and at most 16 ways. The entries of a set lie side by side, so that
// all are compared at once, by vector instructions where there are any; the ways' order, from the one used last, is a
// number of 16 digits.
#pragma once

#include "sim/errand.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::sim {

class PlainSets {
public:
  static constexpr uint32_t kMostWays = 16;

  // What left, by the side that had brought it.
  struct Left {
    uint64_t all = 0;
    uint64_t dirty = 0;
    uint64_t of_allocator = 0;
    uint64_t dirty_of_allocator = 0;
  };

  PlainSets(uint64_t sets, uint32_t ways);

  // Runs errands in order. What goes on to the next level is put into `handed`, which has room for twice as many;
  // `missed` tells for each whether it asked for a line that was not there. Answers how many were handed on.
  size_t run(std::span<const Errand> errands, Errand *handed, uint8_t *missed, Left &left);

private:
  struct Shape {
    uint64_t sets;
    bool masked; // they are a power of two

    uint64_t set_of(uint64_t line) const { return masked ? line & (sets - 1) : line % sets; }
  };

  static constexpr size_t kLanes = 4;
  struct alignas(32) Four {
    std::array<uint64_t, kLanes> entries;
  };
  using Run = size_t (*)(PlainSets &, std::span<const Errand>, Errand *, uint8_t *, Left &);

  // How a set is looked at: `kFours` times four ways.
  template <size_t kFours, bool kMostlyHits>
  static size_t run_plainly(PlainSets &, std::span<const Errand>, Errand *, uint8_t *, Left &);
  template <size_t kFours, bool kMostlyHits>
  static size_t run_by_vectors(PlainSets &, std::span<const Errand>, Errand *, uint8_t *, Left &);
  template <size_t kFours>
  void choose();
  template <size_t kFours, bool kMostlyHits>
  size_t run_all(std::span<const Errand> errands, Errand *handed, uint8_t *missed, Left &left);

  Shape shape_;
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
