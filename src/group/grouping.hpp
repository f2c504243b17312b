// Placement with a group: what malloc asks for objects that are not put beside a friend.
//
// While groups are formed, every small request is told by its context, and counted. What has been allocated a hundred times
// is noted in the shape graph, and gets a pool or joins one if that promises to pay. Groups are formed while the heap
// grows: each time it has grown by a quarter, the next few thousand requests are told; then only the sites whose objects
// have a pool take longer than others. A group is looked at again each time it has become four times as large, and is turned
// off where its pool turns out half empty.
#pragma once

#include "base/attention.hpp"
#include "group/shape_graph.hpp"
#include "group/worth.hpp"

namespace abut::group {

// Whether groups are formed at all; set before the program runs. `all` forms them from the first request on and always,
// as the paper has it.
enum class Groups : uint8_t { off, on, all };
extern Groups groups __attribute__((visibility("hidden")));

// Whether some request may have to do with a group now.
inline bool is_awake() { return looks(Looker::group); }

// Whether groups are being formed.
extern std::atomic<bool> forming __attribute__((visibility("hidden")));

// Sites, by the return address of their calls: those whose groups were turned off, and those some of whose objects have a
// pool. Of two at one place the later one stands there.
inline constexpr size_t kSites = 4096;
extern std::atomic<Address> quiet_sites[kSites];
extern KnownSite pooled_sites[kSites];

// Requests that are yet to be told before groups are no longer formed; nought also where they always are.
extern std::atomic<uint32_t> requests_left __attribute__((visibility("hidden")));

[[gnu::always_inline]] inline bool is_counting() {
  return requests_left.load(std::memory_order_relaxed) != 0;
}
// True at the last of them, after which allocate() is to be asked.
[[gnu::always_inline]] inline bool count_request() {
  const uint32_t left = requests_left.load(std::memory_order_relaxed);
  if (left > 1) requests_left.store(left - 1, std::memory_order_relaxed);
  return left == 1;
}

// Bytes that an object of a group may have.
extern uint32_t most_bytes __attribute__((visibility("hidden")));

// Whether allocate() is to be asked for an object of `bytes`.
[[gnu::always_inline]] inline bool wants(size_t bytes, Address site) {
  if (!is_awake()) return false;
  if (!forming.load(std::memory_order_relaxed)) [[likely]]
    return pooled_sites[site % kSites].site.load(std::memory_order_relaxed) == site;
  if (bytes > most_bytes) return false;
  return quiet_sites[site % kSites].load(std::memory_order_relaxed) != site || count_request();
}

// Whether wants() says the same of all requests from one site until groups are formed again.
inline bool is_settled() { return !is_awake() || !forming.load(std::memory_order_relaxed); }

void start();

// Forms groups for some thousand requests.
void wake();

// A block of `bytes`, for whoever `frame` was called by; null where memory is exhausted.
void *allocate(size_t bytes, context::Frame frame);

} // namespace abut::group
