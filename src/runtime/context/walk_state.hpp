// Where the pointer that a walk follows is to be found, at one point of one path.
#pragma once

#include "base/units.hpp"

namespace abut::context {

// One who holds the pointer, or what the procedure was given as a parameter, moved by some bytes.
struct Holder {
  static constexpr int64_t kUnknown = INT64_MIN;
  bool holds = false;
  uint8_t parameter = 0; // counted from 1
  int64_t moved = 0;     // or kUnknown

  bool any() const { return holds || parameter != 0; }
  bool operator==(const Holder &) const = default;
};

class WalkState {
public:
  static constexpr int kRax = 0, kRsp = 4, kRsi = 6, kRdi = 7;

  Address at = 0;
  int64_t stack = 0;            // rsp, relative to where the walk began
  bool zero_means_null = false; // the zero flag tells whether the pointer is null
  bool rbp_frame = false;       // rbp is where the frame begins
  uint32_t zeroes = 0;          // registers that hold zero; xmm ones from bit 16 on
  uint8_t given = 0;            // the parameter through which the pointer was given back

  bool operator==(const WalkState &) const = default;

  Holder in_register(int number) const { return number < 0 ? Holder{} : registers_[number]; }
  void set_register(int number, Holder holder) {
    if (number < 0 || number == kRsp) return;
    registers_[number] = holder;
    zeroes &= ~(1U << number);
  }

  Holder in_slot(int64_t place) const {
    for (const Slot &slot : slots_)
      if (slot.holder.any() && slot.place == place) return slot.holder;
    return {};
  }
  // False where there is no room to remember where the pointer is.
  bool set_slot(int64_t place, Holder holder) {
    Slot *free = nullptr;
    for (Slot &slot : slots_)
      if (slot.place == place) slot = {};
    for (Slot &slot : slots_) {
      const bool gives_way = holder.holds && !slot.holder.holds;
      if (!slot.holder.any() || (gives_way && free == nullptr)) free = &slot;
    }
    if (!holder.any()) return true;
    if (free == nullptr) return !holder.holds;
    *free = {place, holder};
    return true;
  }

  bool anywhere() const {
    for (const Holder &holder : registers_)
      if (holder.holds) return true;
    for (const Slot &slot : slots_)
      if (slot.holder.holds) return true;
    return given != 0;
  }

private:
  struct Slot {
    int64_t place = 0;
    Holder holder;
    bool operator==(const Slot &) const = default;
  };
  Holder registers_[16];
  Slot slots_[8];
};

} // namespace abut::context
