// The places in the code that make accesses, each a number of 16 bits that the collector knows.
#pragma once

#include "base/units.hpp"
#include "probes/ring/layout.hpp"

#include <atomic>
#include <cstdint>

namespace abut::compiled {

struct Traits {
  uint8_t bytes = 0;
  bool writes = false;
};

// A cache of the sites, by the address that follows the call: number << 47 | address.
inline constexpr unsigned kSiteBits = 13;
extern std::atomic<uint64_t> sites[size_t{1} << kSiteBits];

inline size_t slot_of(Address code) {
  return (code ^ code >> kSiteBits) % (size_t{1} << kSiteBits);
}

// Finds or makes the site, announces it to the collector where it is new, and puts it into the cache. Where there are no
// more numbers, one that stands for all accesses of such traits. Negative where nothing can be recorded.
int64_t look_up(Address code, Traits traits);

inline int64_t site_of(Address code, Traits traits) {
  const uint64_t cached = sites[slot_of(code)].load(std::memory_order_relaxed);
  if ((cached & ring::kAddressMask) == code) [[likely]]
    return static_cast<int64_t>(cached >> ring::kAddressBits);
  return look_up(code, traits);
}

} // namespace abut::compiled
