// A set of line numbers that only grows: a bit a line, in words of 64 lines.
#pragma once

#include "trace/hash_map.hpp"

#include <cstdint>

namespace abut::sim {

class LineSet {
public:
  // Whether it is new.
  bool add(uint64_t line) {
    uint64_t &lines = words_[line / 64];
    const uint64_t bit = uint64_t{1} << line % 64;
    if ((lines & bit) != 0) return false;
    lines |= bit;
    return true;
  }

private:
  trace::NumberMap<uint64_t> words_;
};

} // namespace abut::sim
