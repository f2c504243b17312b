#include "sim/reuse/sampled_reuse.hpp"

#include "trace/rows.hpp"

#include <algorithm>
#include <cmath>

namespace abut::sim {

namespace {

// 0 is what no hash lies below, so the whole is one less than it should be: one block of 2^64 is missed.
uint64_t threshold_of(double rate) {
  return rate >= 1 ? UINT64_MAX : static_cast<uint64_t>(std::ldexp(rate, 64));
}

} // namespace

SampledReuse::SampledReuse(BlockShift shift, double rate)
    : shift_(shift), threshold_(threshold_of(rate)) {}

SampledReuse::SampledReuse(BlockShift shift, double rate, uint32_t most_blocks)
    : SampledReuse(shift, rate) {
  most_blocks_ = most_blocks;
}

// ---- taking references ----

// Nearly all references end at the comparison, so the loop up to there has no branch that fails.
void SampledReuse::take(const References &references) {
  constexpr size_t kPiece = 1024;
  std::array<uint32_t, kPiece> chosen;
  count_sides(references);
  for (size_t begin = 0; begin < references.count(); begin += kPiece) {
    const size_t end = std::min(begin + kPiece, references.count());
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
      const Extent bytes = extent_of(references, i);
      const uint64_t first = bytes.first >> shift_.bits;
      const bool straddles = (bytes.last >> shift_.bits) != first;
      chosen[count] = static_cast<uint32_t>(i - begin);
      count += static_cast<size_t>(is_sampled(scatter(first)) | straddles);
    }
    for (size_t i = 0; i < count; ++i) look_at(references, begin + chosen[i]);
  }
}

// One for each; those that straddle are made up for where they are looked at.
void SampledReuse::count_sides(const References &references) {
  uint64_t allocators = 0;
  for (const Kind kind : references.kinds) allocators += index_of(side_of(kind));
  references_[0] += references.count() - allocators;
  references_[1] += allocators;
}

void SampledReuse::look_at(const References &references, size_t i) {
  const size_t side = side_index(references, i);
  const Extent bytes = extent_of(references, i);
  const uint64_t first = bytes.first >> shift_.bits, last = bytes.last >> shift_.bits;
  references_[side] += last - first;
  for (uint64_t block = first; block <= last; ++block)
    if (const uint64_t hash = scatter(block); is_sampled(hash)) sample(block, hash, side);
}

void SampledReuse::sample(uint64_t block, uint64_t hash, size_t side) {
  const double weight = 1 / rate();
  const size_t group = hash % kGroups;
  const uint32_t number = numbers_.number(block);
  if (recency_.holds(number)) {
    const double distance = recency_.touch(number) * weight;
    const size_t bucket = bucket_of(static_cast<uint64_t>(distance));
    trace::row_of(weights_[side], bucket)[group] += weight;
    return;
  }
  recency_.push(number);
  cold_[side][group] += weight;
  if (most_blocks_ == UINT32_MAX) return;
  by_hash_.emplace(hash, block);
  while (numbers_.count() > most_blocks_) shrink();
}

// The block with the highest hash leaves, and no other with such a hash comes in again.
void SampledReuse::shrink() {
  threshold_ = by_hash_.top().first;
  while (!by_hash_.empty() && by_hash_.top().first >= threshold_) {
    const uint64_t block = by_hash_.top().second;
    recency_.remove(numbers_.find(block));
    numbers_.erase(block);
    by_hash_.pop();
  }
}

// ---- what came out ----

// Distances up to 2^kFineBits have buckets of their own; from there on each octave has as many.
size_t SampledReuse::bucket_of(uint64_t distance) {
  constexpr uint64_t kFine = uint64_t{1} << kFineBits;
  if (distance < kFine) return distance;
  const unsigned octave = 63 - static_cast<unsigned>(std::countl_zero(distance)) - kFineBits;
  return ((octave + 1) << kFineBits) + ((distance >> octave) & (kFine - 1));
}

MissRatio SampledReuse::miss_ratio(size_t side, uint64_t blocks) const {
  Weights misses{};
  double references = 0;
  for (size_t each = 0; each < kSides; ++each) {
    if (side != kBothSides && side != each) continue;
    references += static_cast<double>(references_[each]);
    for (size_t bucket = bucket_of(blocks); bucket < weights_[each].size(); ++bucket)
      for (size_t group = 0; group < kGroups; ++group)
        misses[group] += weights_[each][bucket][group];
    for (size_t group = 0; group < kGroups; ++group) misses[group] += cold_[each][group];
  }
  if (references == 0) return {};
  double sum = 0, squares = 0;
  for (const double part : misses) sum += part;
  for (const double part : misses) squares += (part - sum / kGroups) * (part - sum / kGroups);
  // The sum of independent parts that are alike; what was sampled whole has no error.
  const double variance = squares * kGroups / (kGroups - 1) * (1 - rate());
  return {std::min(sum / references, 1.0), std::sqrt(variance) / references};
}

} // namespace abut::sim
