// Whether a pool pays: what is asked before a group gets one, and each time that it is looked at. Under the graph's lock.
#pragma once

#include "placement/pools/group.hpp"

namespace abut::group {

// How full the pool of a group is, in all threads.
Occupancy occupancy(const Group &group);

// Why the group would gain nothing from a pool with those of `root`, as far as a few hundred objects can tell; else none.
Reason reason_against(Group &root, const Group &group);

// Holes are filled before a pool takes a fresh page: one that is half empty nevertheless has sizes that do not fit, or
// has shrunk, and others could use its pages.
bool is_sparse(const Group &root);

// Whether most of the sampled objects are gone. Not only those that were freed: a cell that another object has got since is
// as good a proof.
bool is_brief(const Group &group);

// What comes and goes fills few pages again and again: they stay in the caches as it is. Judged once there were `enough`
// objects.
bool is_fleeting(Group &root, uint64_t enough);

} // namespace abut::group
