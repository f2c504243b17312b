#include "sim/plain/line_uses.hpp"

namespace abut::sim {

LineUses::LineUses(unsigned line_shift, uint64_t sets, bool every_one)
    : every_one_(every_one), changes_(line_shift), newest_(sets & (~sets + 1), LineChanges::kNone) {
}

std::span<const LineRequest> LineUses::of(const References &references,
                                          std::array<uint64_t, kKinds> &accesses) {
  changes_.take(references, accesses);
  if (uses_.size() <= changes_.count()) uses_.resize(2 * changes_.count() + 1);
  const size_t kept = references.owners.empty() ? keep_uses<false>() : keep_uses<true>();
  return std::span(uses_).first(kept);
}

template <bool kOwned>
size_t LineUses::keep_uses() {
  const uint64_t *const bits = changes_.bits();
  const Owner *const owners = changes_.owners();
  const size_t count = changes_.count();
  LineRequest *const uses = uses_.data();
  uint64_t *const newest = newest_.data();
  const uint64_t mask = newest_.size() - 1;
  const uint64_t valid = every_one_ ? LineChanges::kNone : 0;
  size_t kept = 0;
  uint64_t before = LineChanges::kNone;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t now = bits[i];
    // A write right after a read of the same line is part of its use.
    const bool part = LineChanges::same_line(now, before);
    const uint64_t dirties = (now | (LineChanges::same_line(now, bits[i + 1]) ? bits[i + 1] : 0)) &
                             LineRequest::kMakesDirty;
    before = now;
    uint64_t &last = newest[now >> Entry::kLineShift & mask];
    const uint64_t known = LineChanges::same_line(now, last) ? last : 0;
    const bool idle = LineChanges::same_line(now, last) & ((dirties & ~last) == 0);
    last = (now & LineChanges::kLine) | dirties | (known & LineRequest::kMakesDirty) | valid;
    uses[kept].bits = now | dirties;
    uses[kept].owner = kOwned ? owners[i] : 0;
    kept += static_cast<size_t>(!(idle | part));
  }
  return kept;
}

} // namespace abut::sim
