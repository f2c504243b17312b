// Reuse distances from a sample of the blocks (SHARDS: Waldspurger, Park, Garthwaite, Ahmad, FAST 2015).
//
// A block belongs to the sample where the hash of its number lies below a threshold; then all its references do.
// Distances within the sample are as much too short as the sample is smaller than the whole, so they are divided by
// the rate. What the sample has too many or too few references of is made up for at distance 0 (SHARDS-adj).
//
// The error is estimated, too: the sample's blocks are parted into groups by other bits of the hash, and how much the groups
// differ says how much the sum of them varies.
#pragma once

#include "sim/blocks.hpp"
#include "sim/reference.hpp"
#include "sim/reuse/numbering.hpp"
#include "sim/reuse/recency.hpp"

#include <array>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace abut::sim {

// What share of all references misses in a cache of some size, and the standard error of that.
struct MissRatio {
  double ratio = 0;
  double error = 0;
};

class SampledReuse : public Consumer {
public:
  // Of `rate` of the blocks, in (0, 1]. Memory grows with the number of blocks, times the rate.
  SampledReuse(BlockShift shift, double rate);
  // Of at most so many blocks, however many there are: the rate begins at `rate` and falls.
  SampledReuse(BlockShift shift, double rate, uint32_t most_blocks);

  void take(const References &references) override;

  static constexpr size_t kBothSides = kSides;

  // Of a side's references, or of both sides', in a cache of `blocks` blocks (1 or more). Distances are kept to 1/128
  // of themselves.
  MissRatio miss_ratio(size_t side, uint64_t blocks) const;

  uint64_t references(size_t side) const { return references_[side]; }
  double rate() const { return static_cast<double>(threshold_) / kWhole; }
  uint32_t sampled_blocks() const { return numbers_.count(); }

private:
  static constexpr double kWhole = 18446744073709551616.0; // 2^64
  static constexpr size_t kGroups = 32;
  static constexpr unsigned kFineBits = 7; // parts of an octave, as log2

  // How much of the references of a group had distances in a bucket; estimates of all references, so already divided
  // by the rate.
  using Weights = std::array<double, kGroups>;

  static size_t bucket_of(uint64_t distance);
  bool is_sampled(uint64_t hash) const { return hash < threshold_; }
  void count_sides(const References &references);
  void look_at(const References &references, size_t i);
  void sample(uint64_t block, uint64_t hash, size_t side);
  void shrink();

  BlockShift shift_;
  uint64_t threshold_;
  uint32_t most_blocks_ = UINT32_MAX;
  Numbering numbers_;
  Recency recency_;
  std::priority_queue<std::pair<uint64_t, uint64_t>>
      by_hash_; // hash, block; only where blocks are bounded
  std::array<std::vector<Weights>, kSides> weights_;
  std::array<Weights, kSides> cold_{};
  std::array<uint64_t, kSides> references_{};
};

} // namespace abut::sim
