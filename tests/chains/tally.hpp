// What the processes of a program count together; check_chains.py reads it.
#pragma once

#include <cstdint>

namespace chains {

struct Tally {
  static constexpr unsigned kShown = 12;

  uint64_t compared;  // chains
  uint64_t frames;    // of all those chains
  uint64_t shorter;   // chains that end before backtrace() does
  uint64_t different; // chains that say something else
  uint64_t ours[kShown];
  uint64_t theirs[kShown]; // of the first that differs, with the file of its first frame
  char where[256];
};

} // namespace chains
