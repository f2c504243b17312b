// What a level counted, split by whose references they were.
#pragma once

#include "sim/cache/miss_classes.hpp"
#include "sim/reference.hpp"

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
    add(accesses, other.accesses);
    add(misses, other.misses);
    for (size_t side = 0; side < kSides; ++side) {
      add(classes[side], other.classes[side]);
      prefetches[side] += other.prefetches[side];
    }
    add(evictions, other.evictions);
    add(write_backs, other.write_backs);
    taken_back += other.taken_back;
    prefetch_fetches += other.prefetch_fetches;
    if (misses_by_owner.size() < other.misses_by_owner.size())
      misses_by_owner.resize(other.misses_by_owner.size());
    for (size_t owner = 0; owner < other.misses_by_owner.size(); ++owner)
      misses_by_owner[owner] += other.misses_by_owner[owner];
    return *this;
  }

private:
  template <size_t Size>
  static void add(std::array<uint64_t, Size> &to, const std::array<uint64_t, Size> &from) {
    for (size_t i = 0; i < Size; ++i) to[i] += from[i];
  }
};

// Adds how many there are of each kind. Eight are summed up at a time, a byte each, as long as no byte can overflow.
inline void count_kinds(std::span<const Kind> kinds, std::array<uint64_t, kKinds> &counts) {
  constexpr uint64_t kOnes = 0x0101010101010101U;
  constexpr size_t kMostWords = 255;
  const auto sum_of_bytes = [](uint64_t bytes) {
    constexpr uint64_t kEven = 0x00ff00ff00ff00ffU;
    const uint64_t pairs = (bytes & kEven) + (bytes >> 8 & kEven);
    return (pairs * 0x0001000100010001U) >> 48;
  };
  uint64_t writes = 0;
  uint64_t allocators = 0;
  uint64_t both = 0;
  for (size_t at = 0; at < kinds.size();) {
    uint64_t writes_by_byte = 0;
    uint64_t allocators_by_byte = 0;
    uint64_t both_by_byte = 0;
    const size_t end = std::min(kinds.size(), at + kMostWords * sizeof(uint64_t));
    for (; at + sizeof(uint64_t) <= end; at += sizeof(uint64_t)) {
      uint64_t eight;
      std::memcpy(&eight, kinds.data() + at, sizeof eight);
      writes_by_byte += eight & kOnes;
      allocators_by_byte += eight >> 1 & kOnes;
      both_by_byte += eight & eight >> 1 & kOnes;
    }
    writes += sum_of_bytes(writes_by_byte);
    allocators += sum_of_bytes(allocators_by_byte);
    both += sum_of_bytes(both_by_byte);
    for (; end == kinds.size() && at < end; ++at) {
      const bool write = (kinds[at] & kWrite) != 0;
      const bool allocator = (kinds[at] & kAllocator) != 0;
      writes += static_cast<uint64_t>(write);
      allocators += static_cast<uint64_t>(allocator);
      both += static_cast<uint64_t>(write && allocator);
    }
  }
  counts[kWrite | kAllocator] += both;
  counts[kWrite] += writes - both;
  counts[kAllocator] += allocators - both;
  counts[0] += kinds.size() - writes - allocators + both;
}

// Counts one for the owner; 0 is none.
inline void count_owner(std::vector<uint64_t> &counts, Owner owner) {
  if (owner == 0) return;
  if (owner >= counts.size()) counts.resize(size_t{owner} + owner / 4 + 1);
  ++counts[owner];
}

} // namespace abut::sim
