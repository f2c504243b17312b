// Sites, which are return addresses of calls, and the contexts of the objects that are allocated there.
//
// Tables for all threads: read without a lock, written under one that nobody waits for.
#pragma once

#include "placement/friends/captured.hpp"
#include "placement/friends/rule.hpp"

#include <atomic>

namespace abut::near {

inline constexpr unsigned kSiteBits = 12;
inline constexpr size_t kSiteSlots = size_t{1} << kSiteBits;
constexpr size_t slot_of(Address site) { return site % kSiteSlots; }

// Sites, by the return address of their calls, where nothing is placed: most are, and they are known by one look.
extern std::atomic<Address> plain_sites[kSiteSlots];

[[gnu::always_inline]] inline bool is_plain(Address site) {
  return plain_sites[slot_of(site)].load(std::memory_order_relaxed) == site;
}

// All other sites and what is known of them, for all threads.
struct Entry {
  std::atomic<Address> site{0};
  std::atomic<Address> context{0};
};
extern Entry entries[kSiteSlots];
// What an entry says instead of a context.
inline constexpr Address kUnknown = 1; // the site has not been met
inline constexpr Address kWrapper =
    2; // it allocates for its callers: the chain tells whose context it is
inline constexpr Address kPlain = 3; // at the end of a chain: nothing is placed there
// A cold site's requests that are yet to come before it is looked into, counted down to kWarm. Reading the code around
// a site is dear, and most sites never ask for much.
inline constexpr Address kWarm = 16;
constexpr bool is_context(Address context) { return context >= kPageBytes; }
constexpr bool is_cold(Address context) { return context > kWarm && context < kPageBytes; }

// Nought while the context lets some allocations pass.
inline Address unless_resting(Address context) {
  auto *counted = reinterpret_cast<Context *>(context);
  if (counted->countdown == 0) [[likely]]
    return context;
  --counted->countdown;
  return 0;
}

// Where the procedure that was called for the request stands.
inline context::Frame frame_of(const Captured &captured) {
  return {.sp = &captured.words[Captured::kReturnAddress], .rbp = captured.words[Captured::kFrame]};
}

// For contexts, and what is learned of them. Who finds it taken learns some other time.
extern os::SpinLock learning;

// Puts the site that `captured` tells of into the table; the first of two that meet at one place keeps it. Once it is
// warm, it gets its context. False where another thread is learning.
bool meet_site(const Captured &captured);

// The context at the end of a wrapper's chain; nought where nothing is to be placed, or not now.
Address context_behind(const Captured &captured);

// Nothing is ever to be placed there.
void remember_plain(Address site);
void leave_in_peace(const Context &context);

// How many allocations of a context go by before the first look: cold ones are never touched.
inline constexpr uint32_t kFirstLook = 128;

// For the further sizes of a context; null where there are no more.
Rule *new_rules();

extern Context *contexts;
extern uint32_t context_count;

// Calls `visit(const Context &)` for every context that was ever looked at.
template <class Visit>
void each_context(Visit visit) {
  for (uint32_t i = 0; i < context_count; ++i) visit(contexts[i]);
}

} // namespace abut::near
