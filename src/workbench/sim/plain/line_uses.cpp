#include "sim/plain/line_uses.hpp"

namespace abut::sim {

LineUses::LineUses(unsigned line_shift, uint64_t sets, bool every_one)
    : every_one_(every_one), news_(line_shift), newest_(sets & (~sets + 1), News::kNone) {}

std::span<const Errand> LineUses::of(const References &references,
                                     std::array<uint64_t, kKinds> &accesses) {
  news_.take(references, accesses);
  if (uses_.size() <= news_.count()) uses_.resize(2 * news_.count() + 1);
  const size_t kept = references.owners.empty() ? keep_uses<false>() : keep_uses<true>();
  return std::span(uses_).first(kept);
}

template <bool kOwned>
size_t LineUses::keep_uses() {
  const uint64_t *const bits = news_.bits();
  const Owner *const owners = news_.owners();
  const size_t count = news_.count();
  Errand *const uses = uses_.data();
  uint64_t *const newest = newest_.data();
  const uint64_t mask = newest_.size() - 1;
  const uint64_t noted_as = every_one_ ? News::kNone : 0;
  size_t kept = 0;
  uint64_t before = News::kNone;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t now = bits[i];
    // A write right after a read of the same line is part of its use.
    const bool part = News::same_line(now, before);
    const uint64_t stains =
        (now | (News::same_line(now, bits[i + 1]) ? bits[i + 1] : 0)) & Errand::kStains;
    before = now;
    uint64_t &noted = newest[now >> Entry::kLineShift & mask];
    const uint64_t known = News::same_line(now, noted) ? noted : 0;
    const bool idle = News::same_line(now, noted) & ((stains & ~noted) == 0);
    noted = (now & News::kLine) | stains | (known & Errand::kStains) | noted_as;
    uses[kept].bits = now | stains;
    uses[kept].owner = kOwned ? owners[i] : 0;
    kept += static_cast<size_t>(!(idle | part));
  }
  return kept;
}

} // namespace abut::sim
