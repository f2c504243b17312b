// The sizes of medium blocks: classes an eighth of a doubling apart, so that a freed block is soon used again.
//
// Blocks of whole half pages, the most common ones, have classes of their own with one line more: equal blocks
// in a row then do not all begin in the same cache set.
#pragma once

#include "heap/geometry.hpp"

#include <bit>

namespace abut::heap {

class MediumClasses {
public:
  static constexpr unsigned kMostGranules = kMediumMax / MediumGranules::kBytes + 1;

  constexpr MediumClasses() {
    for (unsigned granules = 1; granules <= kMostGranules; ++granules) {
      of_[granules] = static_cast<uint8_t>(count_);
      if (is_class(granules)) granules_[count_++] = static_cast<uint16_t>(granules);
    }
  }

  constexpr unsigned count() const { return count_; }

  // The smallest class that holds `bytes` (of at most kMediumMax).
  constexpr unsigned for_bytes(size_t bytes) const {
    return of_[MediumGranules::holding(bytes).n + (bytes % kHalfPage == 0)];
  }

  // The smallest class that holds `granules`.
  unsigned of(unsigned granules) const { return of_[granules]; }

  constexpr unsigned granules(unsigned size_class) const { return granules_[size_class]; }
  bool is_exact(unsigned granules) const { return granules_[of_[granules]] == granules; }

private:
  static constexpr unsigned kExact = 16; // up to here every number of granules is a class
  static constexpr size_t kHalfPage = kPageBytes / 2;

  static constexpr bool is_class(unsigned granules) {
    if (granules <= kExact || (granules - 1) % (kHalfPage / MediumGranules::kBytes) == 0)
      return true;
    const auto doublings = static_cast<unsigned>(std::bit_width(granules - 1)) - 1;
    return granules % (1U << (doublings - 3)) == 0;
  }

  unsigned count_ = 0;
  uint8_t of_[kMostGranules + 1] = {};
  uint16_t granules_[kMostGranules] = {};
};

inline constexpr MediumClasses kMediumClasses;

} // namespace abut::heap
