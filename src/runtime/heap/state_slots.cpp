#include "heap/state_slots.hpp"

#include "heap/segment_map.hpp"
#include "os/os.hpp"

#include <algorithm>
#include <bit>

namespace abut::heap {
namespace {

// All parts of a slot, a bit each, of which a number has 64.
constexpr uint64_t all_parts(unsigned lines) {
  return ~uint64_t{0} >> (64 - std::min(StateSlots::kMostLines / lines, 64U));
}

} // namespace

// A part of a slot that has some left.
uint8_t *StateSlots::find(unsigned lines) {
  for (uint64_t left = in_use_; left != 0; left &= left - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(left));
    const uint64_t free = ~taken_[slot] & all_parts(lines);
    if (lines_[slot] != lines || free == 0) continue;
    taken_[slot] |= free & -free;
    return slot_at(slot) + static_cast<size_t>(std::countr_zero(free)) * lines * kLineBytes;
  }
  return nullptr;
}

uint8_t *StateSlots::take(unsigned lines) {
  if (uint8_t *states = find(lines)) return states;
  const auto slot = static_cast<unsigned>(std::countr_one(in_use_));
  uint8_t *&piece = pieces_[slot / (kSlots / kPieces)];
  if (piece == nullptr) {
    piece = static_cast<uint8_t *>(os::map(kPieceBytes));
    if (piece == nullptr) return nullptr;
    segment_map.count_mapped(kPieceBytes);
  }
  in_use_ |= uint64_t{1} << slot;
  lines_[slot] = static_cast<uint8_t>(lines);
  taken_[slot] = 1;
  return slot_at(slot);
}

void StateSlots::give_back(const uint8_t *states) {
  unsigned piece = 0;
  while (static_cast<size_t>(states - pieces_[piece]) >= kPieceBytes) ++piece;
  const auto offset = static_cast<size_t>(states - pieces_[piece]);
  const auto slot = piece * (kSlots / kPieces) + static_cast<unsigned>(offset / kSlotBytes);
  taken_[slot] &= ~(uint64_t{1} << offset % kSlotBytes / kLineBytes / lines_[slot]);
  if (taken_[slot] == 0) in_use_ &= ~(uint64_t{1} << slot);
}

void StateSlots::trim() {
  constexpr unsigned kSlotsInPiece = kSlots / kPieces;
  constexpr uint64_t kOfPiece = (uint64_t{1} << kSlotsInPiece) - 1;
  for (unsigned i = 0; i < kPieces; ++i) {
    const bool is_used = (in_use_ >> i * kSlotsInPiece & kOfPiece) != 0;
    if (is_used || pieces_[i] == nullptr || !os::unmap(pieces_[i], kPieceBytes)) continue;
    pieces_[i] = nullptr;
    segment_map.count_mapped(-static_cast<ptrdiff_t>(kPieceBytes));
  }
}

} // namespace abut::heap
