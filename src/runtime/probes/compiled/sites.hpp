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

  bool operator==(const Traits &) const = default;
};

// A cache of the sites, by the address that follows the call, and by what the access is: one address may make several
// kinds, where it is behind a call of functions that end in an access, or a library took the place of another one.
//   number << 48 | what << 39 | high bits of the address, whose low ones the slot gives
inline constexpr unsigned kSiteBits = 13;
inline constexpr unsigned kTraitsShift = 39;
inline constexpr unsigned kNumberShift = 48;
static_assert(ring::kAddressBits - kSiteBits <= kTraitsShift);
extern std::atomic<uint64_t> sites[size_t{1} << kSiteBits];

constexpr uint64_t number_of(Traits traits) { return traits.bytes * 2U + (traits.writes ? 1 : 0); }
inline size_t slot_of(Address code, Traits traits) {
  return (code ^ code >> kSiteBits ^ number_of(traits) << 7) % (size_t{1} << kSiteBits);
}
inline uint64_t key_of(Address code, Traits traits) {
  return number_of(traits) << kTraitsShift | code >> kSiteBits;
}

// Finds or makes the site, announces it to the collector where it is new, and puts it into the cache. Where there are no
// more numbers, one that stands for all accesses of such traits. Negative where nothing can be recorded.
int64_t look_up(Address code, Traits traits);

inline int64_t site_of(Address code, Traits traits) {
  const uint64_t cached = sites[slot_of(code, traits)].load(std::memory_order_relaxed);
  if ((cached & ((uint64_t{1} << kNumberShift) - 1)) == key_of(code, traits)) [[likely]]
    return static_cast<int64_t>(cached >> kNumberShift);
  return look_up(code, traits);
}

} // namespace abut::compiled
