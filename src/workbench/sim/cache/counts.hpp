// What a level counted, split by whose references they were.
#pragma once

#include "sim/cache/miss_classes.hpp"
#include "sim/reference.hpp"
#include "trace/rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace abut::sim {

// Lines that were prefetched, by what became of them; those that still wait are in none but `issued`.
struct PrefetchCounts {
  uint64_t issued = 0;
  uint64_t timely = 0; // used, and there in time
  uint64_t late = 0;   // used before they could have arrived
  uint64_t unused = 0; // left without having been used

  PrefetchCounts &operator+=(const PrefetchCounts &other) {
    issued += other.issued;
    timely += other.timely;
    late += other.late;
    unused += other.unused;
    return *this;
  }
};

// Adds numbers to those at the same places.
template <size_t Size>
void add_to(std::array<uint64_t, Size> &to, const std::array<uint64_t, Size> &from) {
  for (size_t i = 0; i < Size; ++i) to[i] += from[i];
}

inline void add_to(std::vector<uint64_t> &to, const std::vector<uint64_t> &from) {
  to.resize(std::max(to.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

struct Counts {
  std::array<uint64_t, kKinds> accesses{}; // by kind
  std::array<uint64_t, kKinds> misses{};
  std::array<std::array<uint64_t, kMissClasses>, kSides> classes{};
  std::array<PrefetchCounts, kSides> prefetches{};
  std::array<uint64_t, kSides> evictions{};   // by the side that had brought the line
  std::array<uint64_t, kSides> write_backs{}; // dirty ones among them
  uint64_t taken_back = 0;                    // lines that left because they left a level below
  uint64_t prefetch_fetches = 0;              // asked for by prefetchers above
  std::vector<uint64_t> misses_by_owner;

  Counts &operator+=(const Counts &other) {
    add_to(accesses, other.accesses);
    add_to(misses, other.misses);
    for (size_t side = 0; side < kSides; ++side) {
      add_to(classes[side], other.classes[side]);
      prefetches[side] += other.prefetches[side];
    }
    add_to(evictions, other.evictions);
    add_to(write_backs, other.write_backs);
    taken_back += other.taken_back;
    prefetch_fetches += other.prefetch_fetches;
    add_to(misses_by_owner, other.misses_by_owner);
    return *this;
  }
};

// Adds how many there are of each kind, eight at a time: a product with ones sums up eight bytes.
inline void count_kinds(std::span<const Kind> kinds, std::array<uint64_t, kKinds> &counts) {
  constexpr uint64_t kOnes = 0x0101010101010101U;
  const auto sum = [](uint64_t bytes) { return (bytes & kOnes) * kOnes >> 56; };
  uint64_t writes = 0, allocators = 0, both = 0;
  for (size_t at = 0; at < kinds.size(); at += sizeof(uint64_t)) {
    uint64_t eight = 0;
    std::memcpy(&eight, kinds.data() + at, std::min(sizeof eight, kinds.size() - at));
    writes += sum(eight);
    allocators += sum(eight >> 1);
    both += sum(eight & eight >> 1);
  }
  counts[kWrite | kAllocator] += both;
  counts[kWrite] += writes - both;
  counts[kAllocator] += allocators - both;
  counts[0] += kinds.size() - writes - allocators + both;
}

// Counts one for the owner; 0 is none.
inline void count_owner(std::vector<uint64_t> &counts, Owner owner) {
  if (owner != 0) ++trace::row_of(counts, owner);
}

} // namespace abut::sim
