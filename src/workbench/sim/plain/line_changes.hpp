// References that go to another line than the one before, or are the first in a row that writes there: all that a cache
// has to see of them.
#pragma once

#include "sim/cache/line_request.hpp"
#include "sim/reference.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::sim {

class LineChanges {
public:
  static constexpr uint64_t kNone = ~uint64_t{0};
  static constexpr uint64_t kLine = kNone << Entry::kLineShift; // of the bits

  static constexpr bool same_line(uint64_t bits, uint64_t other) {
    return ((bits ^ other) & kLine) == 0;
  }

  explicit LineChanges(unsigned line_shift);

  // Those among the references, whose sizes and kinds are given; what was there is forgotten. One that straddles lines
  // counts once for each; `accesses` grow by those beyond the first, by kind.
  void take(const References &references, std::array<uint64_t, kKinds> &accesses);

  size_t count() const { return count_; }
  const uint64_t *bits() const {
    return bits_.data();
  } // as requests have them; `kNone` behind the last
  const Owner *owners() const { return owners_.data(); } // where there are any

private:
  static constexpr size_t kTogether = 8; // references that are looked at together
  using Rows = size_t (LineChanges::*)(const References &, std::array<uint64_t, kKinds> &);

  size_t no_rows(const References &, std::array<uint64_t, kKinds> &) { return 0; }
  size_t take_rows(const References &references, std::array<uint64_t, kKinds> &accesses);
  void take_one(const References &references, size_t i, std::array<uint64_t, kKinds> &accesses);
  void make_room(size_t more);

  unsigned line_shift_;
  Rows rows_ = &LineChanges::no_rows; // takes as many as can be looked at together
  std::vector<uint64_t> bits_;
  std::vector<Owner> owners_;
  size_t count_ = 0;
  uint64_t last_ = kNone; // what came before
};

} // namespace abut::sim
