// The lines that were accessed last. An access on one of them, or beside one, has an address that was computed; any other
// is taken to have one that was loaded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace abut::sim {

class RecentLines {
public:
  // Whether the line is one of them or beside one, in whose place it comes.
  bool use(uint64_t line) {
    for (uint64_t &other : lines_)
      if (line - other + 1 <= 2) {
        other = line;
        return true;
      }
    lines_[next_] = line;
    next_ = (next_ + 1) % kLines;
    return false;
  }

private:
  static constexpr size_t kLines = 4;
  std::array<uint64_t, kLines> lines_{};
  size_t next_ = 0;
};

} // namespace abut::sim
