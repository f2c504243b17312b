// Random bit sets in two forms: the words that the heap searches, and the plain vector that a naive model does.
#pragma once

#include "support/random.hpp"

#include <cstdint>
#include <vector>

namespace abut::test {

struct BitVector {
  std::vector<bool> bits;
  std::vector<uint64_t> words;

  // `bits` is a multiple of 64. Runs of ones and of zeros have random lengths up to `longest_run`.
  static BitVector random(support::Random &random, uint32_t bits, uint32_t longest_run) {
    BitVector result{std::vector<bool>(bits), std::vector<uint64_t>(bits / 64)};
    bool value = random.below(2) != 0;
    for (uint32_t at = 0; at < bits; value = !value)
      for (uint64_t left = random.below(longest_run) + 1; left > 0 && at < bits; --left, ++at)
        if (value) result.set(at);
    return result;
  }

  uint32_t size() const { return static_cast<uint32_t>(bits.size()); }

private:
  void set(uint32_t at) {
    bits[at] = true;
    words[at / 64] |= uint64_t{1} << (at % 64);
  }
};

} // namespace abut::test
