// What decides how long a core takes over its accesses to memory. Times are in ticks, so many to a cycle
// that the half cycle or so that lies between two accesses is not rounded by a hundredth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace abut::sim {

using Ticks = uint64_t;
inline constexpr Ticks kTicksInCycle = 1024;

// How a line's set follows from its virtual address. The kernel gives a page any frame: lines keep their place in their page,
// and a page's place is by chance (Kessler and Hill, "Page placement algorithms for large real-indexed caches", TOCS 1992).
// Slices of a last level get lines by a hash (Maurice et al., "Reverse engineering Intel last-level cache complex
// addressing", RAID 2015).
enum class Index : uint8_t { address, frame, hash };

// An LRU cache or TLB; of a TLB the lines are pages.
struct TimedCache {
  uint32_t sets = 64; // a power of two
  uint32_t ways = 12;
  Ticks latency = 4 * kTicksInCycle;
  Index index = Index::address;
};

struct Machine {
  std::array<TimedCache, 3> caches{{{64, 12, 4 * kTicksInCycle},
                                    {1024, 16, 14 * kTicksInCycle},
                                    {32768, 16, 50 * kTicksInCycle}}};
  std::array<TimedCache, 2> tlbs{{{16, 6, 0}, {256, 16, 7 * kTicksInCycle}}};
  uint32_t page_shift = 12;
  Ticks walk = 30 * kTicksInCycle;
  Ticks memory = 320 * kTicksInCycle; // beyond what the caches take to find that they have it not
  Ticks row_hit_saves = 40 * kTicksInCycle; // where the bank's open row is the line's
  Ticks line = 8 * kTicksInCycle;           // the memory's channel is busy for so long with a line
  Ticks compute = 2 * kTicksInCycle;        // between two accesses
  uint32_t window = 128;                    // accesses in flight, at most kMostInFlight
  uint32_t outstanding = 16; // misses of the first level in flight, at most kMostInFlight
  uint32_t stores = 0;       // entries of the store buffer, at most kMostInFlight; 0: any number
  uint32_t stream = 4;       // lines that a stream keeps ahead, into the second level; 0: none
  uint32_t trained = 3;      // lines of 32 in a row that are touched before
  bool crosses = true;       // streams go on in the next page
  bool adjacent = false;     // the other line of a pair, into the second level
  uint32_t next = 0;         // lines behind one that is new, into the second level
  uint32_t stride = 0;       // steps of an instruction ahead, into the second level; 0: none
};

inline constexpr uint32_t kMostInFlight = 512;

// Where the time went, in ticks; the sum is the whole.
struct TimeCounts {
  enum Part : uint8_t { compute, l1, l2, l3, memory, tlb, dependence, outstanding, stores };
  static constexpr size_t kParts = 9;
  std::array<Ticks, kParts> parts{};
  std::array<uint64_t, 3> misses{}; // of accesses, by level
  std::array<uint64_t, 2> tlb_misses{};
  uint64_t accesses = 0;
  uint64_t prefetches = 0; // lines brought in early
  uint64_t useful = 0;     // of those, asked for before they left
  uint64_t late = 0;       // of those, asked for before they were there

  Ticks total() const {
    Ticks sum = 0;
    for (const Ticks part : parts) sum += part;
    return sum;
  }
};

// What the accesses of one owner waited for beyond computing, in ticks: in all, and of these for addresses that came
// from memory, and for page tables.
struct OwnerWaits {
  Ticks all = 0;
  Ticks dependence = 0;
  Ticks tlb = 0;
};

} // namespace abut::sim
