// Placement with a group: what malloc asks for objects that are not put beside a friend.
//
// Every small request is told by its context. The first hundred objects of a context lie in the plain heap, and are
// noted; then the shape graph is looked at, and the group gets a pool or joins one. It is looked at again each time it
// has become four times as large, and is turned off where its pool turns out half empty.
#pragma once

#include "group/shape_graph.hpp"

namespace abut::group {

// Whether groups are formed; set before the program runs.
extern bool on __attribute__((visibility("hidden")));
inline bool is_on() { return on; }

// Sites, by the return address of their calls, whose groups were turned off.
inline constexpr size_t kQuietSites = 4096;
extern std::atomic<Address> quiet_sites[kQuietSites];

inline bool forms_groups_at(Address site) {
  return on && quiet_sites[site % kQuietSites].load(std::memory_order_relaxed) != site;
}

void start();

// A block of `bytes`, for whoever `frame` was called by; null where memory is exhausted.
void *allocate(size_t bytes, context::Frame frame);

// How full the pool of a group is, in all threads.
Occupancy occupancy(const Group &group);

} // namespace abut::group
