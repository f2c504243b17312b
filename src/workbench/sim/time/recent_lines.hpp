// The lines that were accessed last, and when their addresses were known. An access on one of them, or beside one, has an
// address that is computed from the same pointer; any other is taken to have one that was loaded just before.
#pragma once

#include "sim/time/machine.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace abut::sim {

class RecentLines {
public:
  // When the line's address is known: as that of the one that it is or is beside, in whose place it comes; else at
  // `loaded`, in place of the one that came first.
  Ticks use(uint64_t line, Ticks loaded) {
    for (Recent &other : lines_)
      if (line - other.line + 1 <= 2) {
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
