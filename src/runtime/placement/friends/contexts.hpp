// Contexts of objects that may have friends, one for each site, or for each call chain where the site is in a wrapper; and what
// the table of sites stores for friends.
//
// Shared by all threads: read without a lock, written under one that is only tried.
#pragma once

#include "placement/friends/captured.hpp"
#include "placement/friends/rule.hpp"
#include "placement/sites/site_table.hpp"

namespace abut::near {

// What a site, or a chain, has instead of a context.
inline constexpr Address kUnknown = 1; // it has not been met
inline constexpr Address kWrapper =
    2; // it allocates for its callers: the chain leads to the context
using sites::kPlain;
// A cold site's remaining requests until its code is analysed, counted down to kWarm: that analysis is expensive, and most
// sites make few requests.
inline constexpr Address kWarm = 16;
constexpr bool is_context(Address context) { return context >= kPageBytes; }
constexpr bool is_cold(Address context) { return context > kWarm && context < kPageBytes; }

// Zero while the context lets some allocations pass. Of two threads that count at once, neither counts below zero.
inline Address unless_resting(Address context) {
  const std::atomic_ref countdown(reinterpret_cast<Context *>(context)->countdown);
  const uint32_t left = countdown.load(std::memory_order_relaxed);
  if (left == 0) [[likely]]
    return context;
  countdown.store(left - 1, std::memory_order_relaxed);
  return 0;
}

// Where the procedure that was called for the request stands.
inline context::Frame frame_of(const Captured &captured) {
  return {.sp = &captured.words[Captured::kReturnAddress], .rbp = captured.words[Captured::kFrame]};
}

// For contexts, and what is learned of them. A thread that finds it taken learns another time.
extern os::SpinLock learning;

// Puts the site of a captured request into the table. Once it is warm, it gets its context. False where another thread is learning.
bool meet_site(const Captured &captured);

// The context at the end of a wrapper's chain; zero where nothing is to be placed, or not now.
Address context_behind(const Captured &captured);

// Nothing is placed there any more.
void set_plain(Address site);
void set_plain(const Context &context);

// Allocations of a context that pass before the first is sampled: cold contexts cost nothing more.
inline constexpr uint32_t kFirstLook = 128;

// For the further sizes of a context; null where there are no more.
Rule *new_rules();

extern Context *contexts;
extern uint32_t context_count;

// Calls `visit(Context &)` for every context.
template <class Visit>
void each_context(Visit visit) {
  for (uint32_t i = 0; i < context_count; ++i) visit(contexts[i]);
}

} // namespace abut::near
