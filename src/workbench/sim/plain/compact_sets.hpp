// Plain sets in 32 bits a way, so that all 16 of a set fit one line and one vector register. They lie in the order of
// their uses, the last one first: no other order is kept, and a use shifts those before it. For machines with AVX-512.
//
// What an entry keeps of a line's number is what its set does not determine, of at most 28 bits. That does for addresses of
// 40 bits in 64 sets of 64-byte lines. With the first line that is further up, all goes on as sets of digits.
#pragma once

#include "sim/plain/digit_sets.hpp"

#include <array>
#include <memory>
#include <vector>

namespace abut::sim {

class CompactSets final : public PlainSets {
public:
  // Whether the machine can, and whether there can be so many sets.
  static bool can_run(uint64_t sets);

  CompactSets(uint64_t sets, uint32_t ways);

  size_t run(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
             Left &left) override;

private:
  struct alignas(64) Row {
    std::array<uint32_t, kMostWays> entries;
  };
  // How many left, by the low bits of their entries; then, as many again, of those that did not.
  using Tally = std::array<uint64_t, 16>;

  bool fits(uint64_t bits) const;
  void widen();
  void fetch(std::span<const LineRequest> requests) const;
  template <bool kMostlyHits, bool kAnyReturn>
  size_t run_all(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
                 Left &left);
  template <bool kMostlyHits, bool kAnyReturn>
  LineRequest *run_few(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
                       Tally &tally);

  uint64_t sets_;
  uint32_t ways_;
  std::vector<Row> rows_;
  std::unique_ptr<DigitSets> wide_; // takes over where lines do not fit
  bool far_; // they do not fit the nearest cache of the machine that runs this
  bool mostly_hits_ = false;
};

} // namespace abut::sim
