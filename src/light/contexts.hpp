// Who allocates, as a number that the collector has been told the meaning of.
#pragma once

#include "context/chain_table.hpp"

#include <cstdint>

namespace abut::light {

// Sites whose chains end there, and that have been told: what most requests are told apart by. Each in its place, if no other
// has it; `site << 16 | context`. Forgotten where code has gone.
class KnownSites {
public:
  // The context of a site, or nought. Before the lane is asked whether it is ready, which it is not after what is told.
  uint16_t context_at(Address site) const {
    const uint64_t known = places_[place_of(site)].load(std::memory_order_acquire);
    return known >> kIdBits == site ? static_cast<uint16_t>(known) : 0;
  }
  void remember(Address site, uint16_t context) {
    places_[place_of(site)].store(site << kIdBits | context, std::memory_order_release);
  }
  void forget() {
    for (auto &place : places_) place.store(0, std::memory_order_relaxed);
  }

private:
  static constexpr unsigned kIdBits = 16;
  static constexpr unsigned kLogPlaces = 11;
  static size_t place_of(Address site) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15; // of Fibonacci hashing: 2^64 / golden ratio
    return (site * kFactor) >> (64 - kLogPlaces);
  }
  std::atomic<uint64_t> places_[1 << kLogPlaces];
};
extern KnownSites known_sites __attribute__((visibility("hidden")));

// The context of a request, which the collector is told of if it does not know it.
uint16_t context_of(context::Frame frame);

// Around a fork: no other thread is in the midst of telling.
void lock_contexts();
void unlock_contexts();
// The collector of this process knows nothing yet.
void forget_contexts();

} // namespace abut::light
