// Sixteen bytes, of which those that equal one are found at once: a set's entries by a byte of each one's name.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace abut::sim {

class ByteMarks {
public:
  static constexpr size_t kCount = 16;

  void set(size_t at, uint8_t mark) { marks_[at] = mark; }

  // A bit for each byte that equals it, from the lowest.
  uint32_t equal(uint8_t mark) const {
    const auto same = static_cast<Bytes>(marks_ == mark);
    return static_cast<uint32_t>(
        __builtin_ia32_pmovmskb128(std::bit_cast<char __attribute__((vector_size(kCount)))>(same)));
  }

private:
  using Bytes = uint8_t __attribute__((vector_size(kCount)));
  Bytes marks_{};
};

// The order in which sixteen entries were used: a digit each, the one used last the lowest. At first they are in order.
inline constexpr uint64_t kInOrder = 0xfedcba9876543210U;

// The order with the entry's digit moved to the front.
inline uint64_t moved_to_front(uint64_t order, uint64_t entry) {
  constexpr uint64_t kOnes = 0x1111111111111111U;
  const uint64_t differs = order ^ entry * kOnes;
  const uint64_t zeros = (differs - kOnes) & ~differs & 8 * kOnes; // the lowest is the digit
  const uint64_t through = zeros ^ (zeros - 1);                    // all bits up to its end
  return (order & ~through) | (order << 4 & through) | entry;
}

class UseOrder {
public:
  size_t last() const { return digits_ & 15; }
  // The one used longest ago, of so many.
  size_t oldest(size_t count) const { return digits_ >> 4 * (count - 1) & 15; }
  void use(uint64_t entry) {
    if (last() != entry) digits_ = moved_to_front(digits_, entry);
  }

private:
  uint64_t digits_ = kInOrder;
};

} // namespace abut::sim
