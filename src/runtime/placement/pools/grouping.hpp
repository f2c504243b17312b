// Placement in a pool, of objects that are not placed beside a friend.
//
// While groups are formed, each small request is assigned to its context's group, and counted. A group of a hundred objects
// is scanned into the shape graph, and gets a pool, or joins one, if that promises a benefit. Groups are formed while the
// heap grows: each time it has grown by a quarter, over the next few thousand requests; after that only sites with a pool
// take longer than others. A group is scanned again each time it is four times as large, and loses its pool if that is half
// empty.
#pragma once

#include "base/bump.hpp"
#include "placement/place.hpp"
#include "placement/pools/assigned.hpp"
#include "placement/pools/benefit.hpp"
#include "placement/pools/pools.hpp"
#include "placement/pools/shape_graph.hpp"
#include "placement/sites/site_table.hpp"

namespace abut::group {

// Whether any request may be placed in a pool now.
inline bool is_active() { return is_enabled(Policy::pools); }

// How groups are being formed: what nearly every request reads, on one line.
struct alignas(kLineBytes) Formation {
  std::atomic<bool> is_on{false}; // whether they are
  // Requests until forming ends; zero also where it never does.
  std::atomic<uint32_t> requests_left{0};
  // Changes whenever groups do: what threads chose in an earlier one may no longer hold.
  std::atomic<uint32_t> epoch{1};
  uint32_t most_bytes = 128; // that an object of a group may have
};
extern Formation formation __attribute__((visibility("hidden")));

[[gnu::always_inline]] inline bool is_counting() {
  return formation.requests_left.load(std::memory_order_relaxed) != 0;
}
// True at the last of them: allocate() ends forming then.
[[gnu::always_inline]] inline bool count_request() {
  const uint32_t left = formation.requests_left.load(std::memory_order_relaxed);
  if (left > 1) formation.requests_left.store(left - 1, std::memory_order_relaxed);
  return left == 1;
}

// Whether allocate() may place an object of `bytes` in a pool.
[[gnu::always_inline]] inline bool may_have_pool(size_t bytes, Address site) {
  if (!is_active()) return false;
  const sites::Site *known = sites::table.find(site);
  if (!formation.is_on.load(std::memory_order_relaxed)) [[likely]]
    return known != nullptr && known->is_pooled.load(std::memory_order_relaxed);
  if (bytes > formation.most_bytes) return false;
  return known == nullptr || !known->is_quiet.load(std::memory_order_relaxed) || count_request();
}

// Whether may_have_pool() says the same of all small requests from one site until groups are formed again.
inline bool is_settled(Address site) {
  if (!is_active() || !formation.is_on.load(std::memory_order_relaxed)) return true;
  const sites::Site *known = sites::table.find(site);
  return place_in_force.pools == Pools::assigned && known != nullptr &&
         (known->is_quiet.load(std::memory_order_relaxed) ||
          known->is_pooled.load(std::memory_order_relaxed));
}

void start();

// Forms groups for some thousand requests, where pools are to promise something.
void start_forming();

// A block of `bytes`, for whoever `frame` was called by; null where memory is exhausted.
void *allocate(size_t bytes, context::Frame frame);

// The same for a group that is known; null also where the running thread has no pool for it, or the request is too long.
void *allocate_in(Group &group, size_t bytes);

} // namespace abut::group
