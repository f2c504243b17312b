// Equal steps of one instruction's addresses: a table of instructions, each with its last address and step (Chen and
// Baer, "Effective hardware-based data prefetching for high-performance processors", IEEE Transactions on Computers,
// 1995). After the same step came three times in a row, the line so many steps ahead is asked for, if steps are no longer
// than Intel's manual has them. Addresses are virtual there: it may be in another page.
#pragma once

#include "base/units.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace abut::sim {

class CodeStride {
public:
  explicit CodeStride(uint32_t ahead) : ahead_(ahead) {}

  // The line to bring in, if any, after the instruction at `code` read `address`.
  std::optional<uint64_t> observe(uint64_t code, uint64_t address) {
    Entry &entry = entries_[(code ^ code >> 8) % kEntries];
    if (entry.code != code) {
      entry = {code, address, 0, 0};
      return {};
    }
    const uint64_t step = address - entry.address;
    entry.address = address;
    if (step != entry.step) {
      entry.step = step;
      entry.repeats = 0;
      return {};
    }
    if (step == 0 || ++entry.repeats < kTrusted || step + kLongest > 2 * kLongest) return {};
    const uint64_t target = address + ahead_ * step;
    const bool new_line = target >> kLineShift != (target - step) >> kLineShift;
    return new_line ? std::optional(target >> kLineShift) : std::nullopt;
  }

private:
  static constexpr size_t kEntries = 256;
  static constexpr uint32_t kTrusted = 2;    // repeats
  static constexpr uint64_t kLongest = 2048; // bytes
  static constexpr unsigned kLineShift = 6;
  struct Entry {
    uint64_t code = ~uint64_t{0};
    uint64_t address = 0;
    uint64_t step = 0;
    uint32_t repeats = 0;
  };

  uint64_t ahead_;
  std::array<Entry, kEntries> entries_;
};

} // namespace abut::sim
