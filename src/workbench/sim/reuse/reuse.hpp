// Reuse distances: for each reference, how many other blocks were used since its own was. A cache of n blocks, fully
// associative and with LRU, misses exactly those whose distance is n or more: so one pass gives the misses at every size.
//
// The blocks of both sides lie on one stack, as they share a cache; each reference counts for its own side. Memory: some
// forty bytes for each different block, however long the trace is.
#pragma once

#include "sim/blocks.hpp"
#include "sim/reference.hpp"
#include "sim/reuse/numbering.hpp"
#include "sim/reuse/recency.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace abut::sim {

class ReuseDistances : public Consumer {
public:
  explicit ReuseDistances(BlockShift shift) : shift_(shift) {}

  void take(const References &references) override;

  // How many references of the side had each distance; as long as the longest one needs.
  const std::vector<uint64_t> &distances(size_t side) const { return distances_[side]; }
  // First uses: they miss at every size.
  uint64_t cold(size_t side) const { return cold_[side]; }
  // All references: one that touches two blocks counts twice.
  uint64_t references(size_t side) const;

private:
  void add(uint64_t block, size_t side);

  BlockShift shift_;
  Numbering numbers_;
  Recency recency_;
  std::array<std::vector<uint64_t>, kSides> distances_{std::vector<uint64_t>(1),
                                                       std::vector<uint64_t>(1)};
  std::array<uint64_t, kSides> cold_{};
  uint64_t last_ = UINT64_MAX; // no block: addresses have fewer bits
};

} // namespace abut::sim
