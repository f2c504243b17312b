// A mover that sets its own rate, threshold and compaction from what it sees, so that a user need not (dynamic tuning,
// which Adcock 2009, 7.5, leaves to further work).
//
// What it sees is cheap and needs no clock: of the clusters that it looks at, the share that it had to move. Where that
// is high, the layout degrades faster than it is mended, and the rate goes up; where most clusters are found in order,
// looking at them is waste, and the rate goes down. Where lines with enough room run out, the threshold goes down to what
// there is, and nodes are compacted; it goes up again while empty lines are plentiful.
#pragma once

#include "tree_mover.hpp"

#include <algorithm>

namespace adcock::move {

template <typename Heap, typename Links>
class SelfTuningMover {
public:
  using Mover = TreeMover<Heap, Links>;
  static constexpr Needs needs() { return Mover::needs(); }

  SelfTuningMover(Heap &heap, CellId *roots, std::uint32_t count = 1)
      : mover_(heap, roots, count, {Mover::kMost, false}) {}

  unsigned rate() const { return rate_; }

  // To be called after each update of the structure. Moves some nodes, now and then.
  void updated() {
    credit_ += rate_;
    if (credit_ < kBatch * 16) return;
    credit_ -= kBatch * 16;
    mover_.step(kBatch);
    if (mover_.counts().looked - seen_.looked >= kWindow) tune();
  }

private:
  static constexpr std::size_t kWindow = 256; // clusters between two looks at what was done
  static constexpr unsigned kBatch = 32;      // nodes in a row: few, so that no update waits long
  // Nodes that are looked at for an update of the structure, in 1/16.
  static constexpr unsigned kLeastRate = 4;
  static constexpr unsigned kMostRate = 16 * 16;

  void tune() {
    const auto &now = mover_.counts();
    const std::size_t looked = now.looked - seen_.looked;
    const std::size_t moved = now.moved - seen_.moved;
    const std::size_t without_room = now.without_room - seen_.without_room;
    seen_ = now;
    if (moved * 2 > looked) rate_ = std::min(rate_ + rate_ / 4 + 1, kMostRate);
    if (moved * 8 < looked) rate_ = std::max(rate_ - rate_ / 4, kLeastRate);
    OneSpaceRules &rules = mover_.rules();
    if (without_room * 4 > looked) {
      rules.compacts = true;
      rules.threshold = std::max(rules.threshold - 1, 2u);
    } else if (without_room == 0) {
      rules.compacts = false;
      rules.threshold = std::min(rules.threshold + 1, Mover::kMost);
    }
  }

  Mover mover_;
  unsigned rate_ = 64;
  unsigned credit_ = 0;
  typename Mover::Counts seen_;
};

} // namespace adcock::move
