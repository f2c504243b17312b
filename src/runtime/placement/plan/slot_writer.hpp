// Codes a context's slots as a plan's file has them, for those who write plans.
#pragma once

#include "placement/plan/format.hpp"

#include <vector>

namespace abut::plan {

inline void code(std::span<const Slot> slots, std::vector<uint8_t> &bytes) {
  int64_t end = 0;
  Slot last{};
  for (const Slot &slot : slots) {
    const int64_t moved = slot.kept == 0 ? 0 : int64_t{slot.offset} - end;
    const bool same = slot.requested == last.requested && slot.kept == last.kept;
    const uint64_t distance = static_cast<uint64_t>(moved < 0 ? ~moved : moved);
    uint64_t move = distance << 2 | (moved < 0 ? 2 : 0) | (same ? 0 : 1);
    for (; move >= 0x80; move >>= 7) bytes.push_back(static_cast<uint8_t>(move | 0x80));
    bytes.push_back(static_cast<uint8_t>(move));
    if (!same) {
      bytes.push_back(static_cast<uint8_t>(slot.requested));
      bytes.push_back(static_cast<uint8_t>(slot.kept));
    }
    if (slot.kept != 0) end = int64_t{slot.offset} + slot.kept;
    last = slot;
  }
}

} // namespace abut::plan
