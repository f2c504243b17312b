// Finds the number of something by its hash; the things themselves are kept elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::trace {

constexpr uint64_t mixed(uint64_t value) {
  value *= 0x9e3779b97f4a7c15U;
  return value ^ (value >> 32);
}

class HashIndex {
public:
  static constexpr uint32_t kNone = UINT32_MAX;

  HashIndex() { clear(); }

  // The number for which `same(number)` holds, or kNone.
  template <typename Same>
  uint32_t find(uint64_t hash, Same same) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask; slots_[at].number != kNone; at = (at + 1) & mask)
      if (slots_[at].hash == static_cast<uint32_t>(hash) && same(slots_[at].number))
        return slots_[at].number;
    return kNone;
  }

  void add(uint64_t hash, uint32_t number) {
    if (2 * ++count_ > slots_.size()) grow();
    put({static_cast<uint32_t>(hash), number});
  }

  void clear() {
    slots_.assign(kFirstSlots, Slot{0, kNone});
    count_ = 0;
  }

private:
  struct Slot {
    uint32_t hash;
    uint32_t number;
  };
  static constexpr size_t kFirstSlots = size_t{1} << 12;

  void put(Slot slot) {
    const size_t mask = slots_.size() - 1;
    size_t at = slot.hash & mask;
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }

  void grow() {
    std::vector<Slot> before(slots_.size() * 2, Slot{0, kNone});
    before.swap(slots_);
    for (const Slot slot : before)
      if (slot.number != kNone) put(slot);
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

} // namespace abut::trace
