// Who allocates, as a number that the collector knows.
#pragma once

#include "probes/light/known_chains.hpp"

#include <cstdint>

namespace abut::light {

extern KnownSites known_sites __attribute__((visibility("hidden")));
extern KnownChains known_chains __attribute__((visibility("hidden")));

// The context of a request, which is announced to the collector first if it is new.
uint16_t context_of(context::Frame frame);

// Around a fork: no other thread is in the midst of telling.
void lock_contexts();
void unlock_contexts();
// The collector of this process knows nothing yet.
void forget_contexts();

} // namespace abut::light
