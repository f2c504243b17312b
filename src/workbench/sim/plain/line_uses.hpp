// What references of the program come to for a plain cache: uses of lines, without those that change nothing.
//
// References in a row to one line are one use of it; it is by the first of them, and makes the line dirty where any writes.
// A use of the line that was used last in its set changes nothing, but that the first write makes it dirty.
// Nothing foretells which references these are, so they are found without a branch, and in two steps: by the reference
// before, eight at a time; then by what was used last.
#pragma once

#include "sim/cache/line_request.hpp"
#include "sim/plain/line_changes.hpp"
#include "sim/reference.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::sim {

class LineUses {
public:
  static constexpr size_t kMost = 2048; // references at a time; what they come to fits a cache

  // `every_one`: a use of the line that was used last in its set counts, too; the caller needs the order of all lines.
  LineUses(unsigned line_shift, uint64_t sets, bool every_one);

  // Of at most `kMost` references, whose sizes and kinds are given. Adds to `accesses`, by kind, the lines beyond the
  // first that they touch. What is answered is good until the next call.
  std::span<const LineRequest> of(const References &references,
                                  std::array<uint64_t, kKinds> &accesses);

private:
  template <bool kOwned>
  size_t keep_uses();

  bool every_one_;
  LineChanges changes_;
  std::vector<uint64_t> newest_; // by set: the line that was used last, and whether it is dirty
  std::vector<LineRequest> uses_;
};

} // namespace abut::sim
