// Where the states of a segment's size pages lie: in memory of their own, in slots of 8 KiB, each for pages of classes that
// have equally many. There are as many slots as pages, so that there is one for every page, whatever came before.
#pragma once

#include "base/units.hpp"

namespace abut::heap {

// All zero at first.
class StateSlots {
public:
  static constexpr size_t kSlotBytes = 8 * KiB;
  static constexpr unsigned kMostLines = kSlotBytes / kLineBytes; // of states, for a page

  // Room for states of so many lines, 64 each, with anything in it; null where memory is exhausted.
  uint8_t *take(unsigned lines);

  void give_back(const uint8_t *states);

  // Unmaps what is not used.
  void trim();

private:
  static constexpr unsigned kSlots = 64, kPieces = 4;
  static constexpr size_t kPieceBytes = kSlots / kPieces * kSlotBytes;

  uint8_t *find(unsigned lines);
  uint8_t *slot_at(unsigned slot) const {
    return pieces_[slot / (kSlots / kPieces)] + slot % (kSlots / kPieces) * kSlotBytes;
  }

  uint64_t in_use_;          // slots, a bit each
  uint64_t taken_[kSlots];   // parts of a slot, a bit each
  uint8_t lines_[kSlots];    // of a part
  uint8_t *pieces_[kPieces]; // of memory, each with 16 slots; null if it is not mapped
};

} // namespace abut::heap
