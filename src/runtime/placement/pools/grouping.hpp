// Placement with a group: what malloc asks for objects that are not put beside a friend.
//
// While groups are formed, every small request is told by its context, and counted. What has been allocated a hundred times
// is noted in the shape graph, and gets a pool or joins one if that promises to pay. Groups are formed while the heap
// grows: each time it has grown by a quarter, the next few thousand requests are told; then only the sites whose objects
// have a pool take longer than others. A group is looked at again each time it has become four times as large, and is turned
// off where its pool turns out half empty.
#pragma once

#include "base/bump.hpp"
#include "placement/pools/assigned.hpp"
#include "placement/pools/pools.hpp"
#include "placement/pools/shape_graph.hpp"
#include "placement/pools/worth.hpp"
#include "placement/sites/site_table.hpp"

namespace abut::group {

// Whether groups are formed at all; set before the program runs. `all` forms them from the first request on and always,
// as the paper has it; `assigned` only those of contexts to which a profile assigns a pool.
enum class Groups : uint8_t { off, on, all, assigned };
extern Groups groups __attribute__((visibility("hidden")));

// Whether some request may have to do with a group now.
inline bool is_awake() { return looks(Looker::group); }

// How groups are being formed: what nearly every request of theirs looks at, on one line.
struct alignas(kLineBytes) Formation {
  std::atomic<bool> is_on{false}; // whether they are
  // Requests that are yet to be told before they no longer are; nought also where they always are.
  std::atomic<uint32_t> requests_left{0};
  // How often groups were looked at: what threads have been told before may be no longer right.
  std::atomic<uint32_t> looks{1};
  uint32_t most_bytes = 128; // that an object of a group may have
};
extern Formation formation __attribute__((visibility("hidden")));

[[gnu::always_inline]] inline bool is_counting() {
  return formation.requests_left.load(std::memory_order_relaxed) != 0;
}
// True at the last of them, after which allocate() is to be asked.
[[gnu::always_inline]] inline bool count_request() {
  const uint32_t left = formation.requests_left.load(std::memory_order_relaxed);
  if (left > 1) formation.requests_left.store(left - 1, std::memory_order_relaxed);
  return left == 1;
}

// Whether allocate() is to be asked for an object of `bytes`.
[[gnu::always_inline]] inline bool wants(size_t bytes, Address site) {
  if (!is_awake()) return false;
  const sites::Site *known = sites::table.find(site);
  if (!formation.is_on.load(std::memory_order_relaxed)) [[likely]]
    return known != nullptr && known->is_pooled.load(std::memory_order_relaxed);
  if (bytes > formation.most_bytes) return false;
  return known == nullptr || !known->is_quiet.load(std::memory_order_relaxed) || count_request();
}

// Whether wants() says the same of all small requests from one site until groups are formed again.
inline bool is_settled(Address site) {
  if (!is_awake() || !formation.is_on.load(std::memory_order_relaxed)) return true;
  const sites::Site *known = sites::table.find(site);
  return groups == Groups::assigned && known != nullptr &&
         (known->is_quiet.load(std::memory_order_relaxed) ||
          known->is_pooled.load(std::memory_order_relaxed));
}

void start();

// Forms groups for some thousand requests.
void wake();

// A block of `bytes`, for whoever `frame` was called by; null where memory is exhausted.
void *allocate(size_t bytes, context::Frame frame);

// The same for a group that is known; null also where the running thread has no pool for it, or the request is too long.
void *allocate_in(Group &group, size_t bytes);

} // namespace abut::group
