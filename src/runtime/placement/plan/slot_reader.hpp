// Reads a context's slots, as they are coded in a plan's file.
#pragma once

#include "placement/plan/format.hpp"

namespace abut::plan {

class SlotReader {
public:
  SlotReader() = default;
  explicit SlotReader(const uint8_t *slots) : at_(slots) {}

  const uint8_t *at() const { return at_; }

  // The next slot of a plan that was found sound.
  Slot next() {
    uint64_t move = *at_++;
    if (move >= kMore) [[unlikely]]
      move = rest_of(move);
    if ((move & kOtherSize) != 0) {
      requested_ = *at_++;
      kept_ = *at_++;
    }
    return settle(move);
  }

  // The next slot of any bytes up to `end`: false where there is none, or it begins where no plan's memory is.
  bool next_checked(const uint8_t *end, Slot &slot) {
    const uint8_t *last = at_;
    while (last < end && *last >= kMore) ++last;
    if (last >= end || last - at_ >= kMostMove) return false;
    if ((*at_ & kOtherSize) != 0 && end - last <= 2) return false;
    slot = next();
    return begin_ <= UINT32_MAX;
  }

private:
  static constexpr uint8_t kMore = 0x80;
  static constexpr uint64_t kOtherSize = 1, kBack = 2;
  static constexpr int kMostMove = 6; // bytes

  uint64_t rest_of(uint64_t first) {
    uint64_t all = first & (kMore - 1);
    for (unsigned shift = 7;; shift += 7) {
      const uint64_t byte = *at_++;
      all |= (byte & (kMore - 1)) << shift;
      if (byte < kMore) return all;
    }
  }

  Slot settle(uint64_t move) {
    if (kept_ == 0) return {0, requested_, 0};
    begin_ = end_ + ((move >> 2) ^ ((move & kBack) != 0 ? ~uint64_t{0} : 0));
    end_ = begin_ + kept_;
    return {static_cast<uint32_t>(begin_), requested_, kept_};
  }

  const uint8_t *at_ = nullptr;
  uint64_t begin_ = 0, end_ = 0; // granules: of the last slot that is not left to the heap
  uint16_t requested_ = 0, kept_ = 0;
};

} // namespace abut::plan
