// What a level hands down to the next, many at a time and in order: lines that it asks for, and dirty ones that left.
#pragma once

#include "sim/policy/entry.hpp"
#include "sim/reference.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace abut::sim {

struct LineRequest {
  // Below the line's number, where an entry has it, too:
  static constexpr uint64_t kWritten = 1; // a write asks; the same bit as that of a write in a kind
  static constexpr uint64_t kMakesDirty = 2; // the line is dirty from then on
  static constexpr uint64_t kByAllocator = Entry::kByAllocator;
  static constexpr uint64_t kWriteBack =
      8; // a dirty line that left, instead of one that is asked for

  uint64_t bits = 0;
  Owner owner = 0;

  // A reference of the program.
  static constexpr uint64_t bits_of(uint64_t line, Kind kind) {
    const uint64_t writes = kind & kWrite;
    return line << Entry::kLineShift | writes * (kWritten | kMakesDirty) |
           uint64_t{Kind(kind & kAllocator)} * (kByAllocator / kAllocator);
  }
  // A dirty entry that left.
  static constexpr LineRequest write_back(uint64_t entry) {
    constexpr uint64_t kKept = ~((uint64_t{1} << Entry::kLineShift) - 1) | kByAllocator;
    return {(entry & kKept) | kWriteBack, 0};
  }

  uint64_t line() const { return bits >> Entry::kLineShift; }
  bool is_write_back() const { return (bits & kWriteBack) != 0; }
  Kind kind() const {
    return static_cast<Kind>((bits & kWritten) |
                             (bits & kByAllocator) / (kByAllocator / kAllocator));
  }
};

struct LineRequests {
  std::span<const LineRequest> list;
  uint32_t line_bytes = 0;
  bool owned = false; // some have owners
};

// How many lines are asked for, by kind.
inline std::array<uint64_t, kKinds> count_kinds(std::span<const LineRequest> requests) {
  // Sums, not a counter each: those would wait for one another.
  uint64_t all = 0;
  uint64_t writes = 0;
  uint64_t allocators = 0;
  uint64_t both = 0;
  for (const LineRequest &line_request : requests) {
    const uint64_t asks = ~line_request.bits / LineRequest::kWriteBack & 1;
    const uint64_t write = line_request.bits & asks;
    const uint64_t allocator = line_request.bits / LineRequest::kByAllocator & asks;
    all += asks;
    writes += write;
    allocators += allocator;
    both += write & allocator;
  }
  return {all - writes - allocators + both, writes - both, allocators - both, both};
}

} // namespace abut::sim
