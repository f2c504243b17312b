// Which group an object was born into, and when, for a sample of the objects there are.
//
// A table of fixed size in which new entries take the place of old ones. Threads write it without a lock, and an entry
// may be made of two: whoever asks gets a hint, which is all that a layout needs.
#pragma once

#include "base/units.hpp"

#include <atomic>

namespace abut::group {

struct Birth {
  uint16_t group = 0;
  uint32_t when = 0; // on the clock of its thread, which counts births
};

class BirthTable {
public:
  void record(Address object, Birth birth) {
    Slot &slot = slots_[slot_of(object)];
    slot.object.store(object, std::memory_order_relaxed);
    slot.birth.store(uint64_t{birth.group} << 32 | birth.when, std::memory_order_relaxed);
  }

  // Of no group if it is not known.
  Birth find(Address object) const {
    const Slot &slot = slots_[slot_of(object)];
    if (slot.object.load(std::memory_order_relaxed) != object) return {};
    const uint64_t birth = slot.birth.load(std::memory_order_relaxed);
    return {static_cast<uint16_t>(birth >> 32), static_cast<uint32_t>(birth)};
  }

private:
  static constexpr unsigned kLogSlots = 15;

  struct Slot {
    std::atomic<Address> object{0};
    std::atomic<uint64_t> birth{0};
  };

  static unsigned slot_of(Address object) {
    return static_cast<unsigned>((object >> 4) * 0x9E3779B97F4A7C15U >> (64 - kLogSlots));
  }

  Slot slots_[1U << kLogSlots];
};

inline constinit BirthTable births __attribute__((visibility("hidden")));

} // namespace abut::group
