// Where the last words of a raw stream are in the trace: what lies so many words before an access there, lies so many
// accesses before it here.
#pragma once

#include "collect/raw_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace abut::record {

class Sources {
public:
  // Words that are no accesses of the trace.
  void skip(size_t words) {
    for (size_t left = std::min(words, kWords); left > 0; --left) accesses_[word_++ % kWords] = 0;
  }

  // The next word is the trace's access of this number, from 1: its source there, by that in the stream.
  uint8_t add(uint64_t access, uint8_t source) {
    accesses_[word_ % kWords] = access;
    uint8_t there = source;
    if (source > 1) {
      const uint64_t from = accesses_[(word_ + 1 - source) % kWords];
      const uint64_t back = access - from;
      there = from != 0 && back < ABUT_RAW_MOST_SOURCE ? static_cast<uint8_t>(1 + back) : 1;
    }
    ++word_;
    return there;
  }

private:
  static constexpr size_t kWords = 256; // sources reach no further

  std::array<uint64_t, kWords> accesses_{}; // of each word; 0: it is none
  uint64_t word_ = 0;
};

} // namespace abut::record
