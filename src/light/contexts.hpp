// Who allocates, as a number that the collector has been told the meaning of.
#pragma once

#include "context/chain_table.hpp"

#include <cstdint>

namespace abut::light {

// Sites whose chains end there, and that have been told: what most requests are told apart by. Each in its place, if no other
// has it; `site << 16 | context`. Forgotten where code has gone.
class KnownSites {
public:
  // A context, or more than any if the site is not known. Before the lane is asked whether it is ready, which it is not
  // after what is told.
  uint64_t context_at(Address site) const {
    return places_[place_of(site)].load(std::memory_order_acquire) ^ site << kIdBits;
  }
  static constexpr uint64_t kMostContext = 0xffff;
  void remember(Address site, uint16_t context) {
    places_[place_of(site)].store(site << kIdBits | context, std::memory_order_release);
  }
  void forget() {
    for (auto &place : places_) place.store(0, std::memory_order_relaxed);
  }

private:
  static constexpr unsigned kIdBits = 16;
  static constexpr unsigned kLogPlaces = 11;
  // The low bits of addresses of code are as good as any hash of them.
  static size_t place_of(Address site) { return site % (size_t{1} << kLogPlaces); }
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
