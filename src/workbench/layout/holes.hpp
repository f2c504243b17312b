// Free stretches of a plan's memory while objects are placed over time: neighbours are joined, and each length is found at
// once. Lengths and offsets are in granules.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace abut::place {

// Best fit for short objects: a hole of just the length, else the shortest longer one, else the end. O(1) a call; twelve
// bytes for each granule that was ever used.
class Holes {
public:
  static constexpr uint32_t kLongest = 63; // of a hole that has a list of its own length

  // `count` is at least 1.
  uint32_t take(uint32_t count) {
    const uint64_t fitting = count > kLongest ? 0 : lists_ & (~uint64_t{0} << count);
    if (fitting == 0) return take_at_end(count);
    const uint32_t hole = first_[std::countr_zero(fitting)];
    const uint32_t length = length_[hole];
    drop(hole);
    if (length > count) add(hole + count, length - count);
    return hole;
  }

  void give_back(uint32_t at, uint32_t count) {
    if (at != 0 && length_[at - 1] != 0) {
      const uint32_t before = length_[at - 1];
      at -= before;
      count += before;
      drop(at);
    }
    if (at + count < end_ && length_[at + count] != 0) {
      const uint32_t after = length_[at + count];
      drop(at + count);
      count += after;
    }
    add(at, count);
  }

  // How far memory has been used.
  uint32_t end() const { return end_; }

private:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t take_at_end(uint32_t count) {
    const uint32_t at = end_;
    end_ += count;
    length_.resize(end_, 0);
    next_.resize(end_);
    before_.resize(end_);
    return at;
  }

  // Long ones share the last list; each of them fits whatever asks for it, as objects are shorter.
  static uint32_t list_of(uint32_t length) { return length < kLongest ? length : kLongest; }

  void add(uint32_t hole, uint32_t length) {
    const uint32_t list = list_of(length);
    length_[hole] = length_[hole + length - 1] = length;
    before_[hole] = kNone;
    next_[hole] = first_[list];
    if (first_[list] != kNone) before_[first_[list]] = hole;
    first_[list] = hole;
    lists_ |= uint64_t{1} << list;
  }

  void drop(uint32_t hole) {
    const uint32_t length = length_[hole], list = list_of(length);
    if (before_[hole] != kNone)
      next_[before_[hole]] = next_[hole];
    else
      first_[list] = next_[hole];
    if (next_[hole] != kNone) before_[next_[hole]] = before_[hole];
    if (first_[list] == kNone) lists_ &= ~(uint64_t{1} << list);
    length_[hole] = length_[hole + length - 1] = 0;
  }

  uint32_t end_ = 0;
  uint64_t lists_ = 0; // which have a hole
  std::vector<uint32_t> first_ = std::vector<uint32_t>(kLongest + 1, kNone);
  std::vector<uint32_t> length_;        // at the first and the last granule of a hole; else 0
  std::vector<uint32_t> next_, before_; // at its first
};

} // namespace abut::place
