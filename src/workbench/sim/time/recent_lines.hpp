// The lines that were accessed last, and when their addresses were known. An access on one of them, or beside one, has an
// address that is computed from the same pointer; any other is taken to have one that was loaded just before.
#pragma once

#include "sim/time/machine.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace abut::sim {

class RecentLines {
public:
  // When the line's address is known: as that of the one that it is or is beside, in whose place it comes; else at
  // `loaded`, in place of the one that came first.
  Ticks use(uint64_t line, Ticks loaded) {
    uint32_t near = 0; // a bit for each: no branch foresees which one it is
    for (size_t i = 0; i < kLines; ++i) near |= uint32_t{line - lines_[i].line + 1 <= 2} << i;
    if (near != 0) {
      Recent &other = lines_[static_cast<size_t>(std::countr_zero(near))];
      other.line = line;
      return other.known;
    }
    lines_[next_] = {line, loaded};
    next_ = (next_ + 1) % kLines;
    return loaded;
  }

private:
  static constexpr size_t kLines = 4;
  struct Recent {
    uint64_t line = 0;
    Ticks known = 0;
  };
  std::array<Recent, kLines> lines_{};
  size_t next_ = 0;
};

} // namespace abut::sim
