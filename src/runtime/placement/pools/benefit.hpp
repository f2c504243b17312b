// The rules for pools: evaluated before a group gets one, and each time that it is scanned. Under the graph's lock.
#pragma once

#include "placement/pools/group.hpp"

namespace abut::group {

// How full the pool of a group is, in all threads.
Occupancy occupancy(const Group &group);

// Why the group would gain nothing from a pool with those of `root`, by what a few hundred objects show; else none.
Reason reason_against(Group &root, const Group &group);

// Holes are filled before a pool takes a fresh page: one that is half empty nevertheless has sizes that do not fit, or
// has shrunk, and others could use its pages.
bool is_sparse(const Group &root);

// Whether most of the sampled objects are gone: freed, or their place taken by another object.
bool is_short_lived(const Group &group);

// Whether objects come and go on few pages, which stay in the caches without a pool. Only after `enough` objects.
bool is_transient(Group &root, uint64_t enough);

} // namespace abut::group
