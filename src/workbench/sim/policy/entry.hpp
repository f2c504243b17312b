// A line that a cache holds, as one number: which line, which of its sectors are there, and what became of it.
#pragma once

#include <cstdint>

namespace abut::sim {

struct Entry {
  // The upper 48 bits are the line's number: lines have 16 bytes or more, addresses 51 bits, so none is all
  // ones: that stands for no line.
  static constexpr unsigned kLineShift = 16;
  static constexpr unsigned kSectorShift = 8;
  static constexpr uint64_t kDirty = 1;       // the same bit as that of a write in a kind
  static constexpr uint64_t kPrefetched = 2;  // and not used since
  static constexpr uint64_t kByAllocator = 4; // whose reference brought it

  uint64_t bits = ~uint64_t{0};

  static Entry of(uint64_t line) { return {line << kLineShift}; }

  bool holds(uint64_t line) const { return bits >> kLineShift == line; }
  bool empty() const { return bits >> kLineShift == ~uint64_t{0} >> kLineShift; }
  uint64_t line() const { return bits >> kLineShift; }

  bool dirty() const { return (bits & kDirty) != 0; }
  bool prefetched() const { return (bits & kPrefetched) != 0; }
  bool by_allocator() const { return (bits & kByAllocator) != 0; }
  uint8_t sectors() const { return static_cast<uint8_t>(bits >> kSectorShift); }

  void add(uint64_t flags) { bits |= flags; }
  void drop(uint64_t flags) { bits &= ~flags; }
  void add_sectors(uint8_t mask) { bits |= uint64_t{mask} << kSectorShift; }
};

} // namespace abut::sim
