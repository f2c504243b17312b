// Plain sets whose entries stay where they are. The ways' order, from the one used last, is a number of 16 digits.
// For any machine.
#pragma once

#include "sim/plain/plain_sets.hpp"

#include <array>
#include <vector>

namespace abut::sim {

class DigitSets final : public PlainSets {
public:
  DigitSets(uint64_t sets, uint32_t ways);

  size_t run(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
             Left &left) override;

private:
  static constexpr size_t kLanes = 4;
  struct alignas(32) Four {
    std::array<uint64_t, kLanes> entries;
  };
  using Run = size_t (*)(DigitSets &, std::span<const LineRequest>, LineRequest *, uint8_t *,
                         Left &);

  // How a set is looked at: `kFours` times four ways.
  template <size_t kFours, bool kMostlyHits>
  static size_t run_plainly(DigitSets &, std::span<const LineRequest>, LineRequest *, uint8_t *,
                            Left &);
  template <size_t kFours, bool kMostlyHits>
  static size_t run_by_vectors(DigitSets &, std::span<const LineRequest>, LineRequest *, uint8_t *,
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
