// Which placement policies are enabled, above the heap. One mask for all, so that a request pays one comparison while none is.
#pragma once

#include "base/units.hpp"

#include <atomic>

namespace abut {

enum class Policy : uint8_t { friends = 1, plan = 2, pools = 4 };

inline constinit std::atomic<uint8_t> enabled_mask __attribute__((visibility("hidden"))){0};

// Requests of up to so many bytes go to the plain heap at once: zero while a policy is enabled, so that malloc tests that
// and whether a request is small in one comparison.
inline constexpr size_t kPlainMost = 1024;
// What a policy places is no larger.
inline constexpr size_t kPlacedMost = 512;
inline constinit std::atomic<size_t> plain_limit __attribute__((visibility("hidden"))){kPlainMost};

// The same by the last byte of a call's return address, where pools are the only policy and the call sites are known that
// have some: other sites pay four instructions, and no look at the table of sites.
struct SiteLimits {
  size_t most[256];
};
inline constexpr SiteLimits kNoSiteIsPlain{};
inline constinit const SiteLimits *limits_of_pools __attribute__((visibility("hidden"))) =
    &kNoSiteIsPlain; // set at start
inline constinit std::atomic<const SiteLimits *> site_limits
    __attribute__((visibility("hidden"))){&kNoSiteIsPlain};

[[gnu::always_inline]] inline bool is_plain_at(size_t bytes, Address site) {
  return bytes <= site_limits.load(std::memory_order_relaxed)->most[site & 0xff];
}

// The policies that were enabled at one time.
struct EnabledPolicies {
  uint8_t mask;
  bool any() const { return mask != 0; }
  bool has(Policy one) const { return (mask & static_cast<uint8_t>(one)) != 0; }
};
inline EnabledPolicies enabled_policies() { return {enabled_mask.load(std::memory_order_relaxed)}; }
inline bool any_policy_enabled() { return enabled_policies().any(); }
inline bool is_enabled(Policy one) { return enabled_policies().has(one); }

// Again where another thread has changed the mask meanwhile.
inline void set_plain_limits() {
  uint8_t mask = 0;
  do {
    mask = enabled_mask.load(std::memory_order_seq_cst);
    const bool only_pools = mask == static_cast<uint8_t>(Policy::pools);
    site_limits.store(only_pools ? limits_of_pools : &kNoSiteIsPlain, std::memory_order_seq_cst);
    plain_limit.store(mask == 0 ? kPlainMost : 0, std::memory_order_seq_cst);
  } while (enabled_mask.load(std::memory_order_seq_cst) != mask);
}

inline void enable(Policy one) {
  enabled_mask.fetch_or(static_cast<uint8_t>(one), std::memory_order_relaxed);
  set_plain_limits();
}
inline void disable(Policy one) {
  enabled_mask.fetch_and(static_cast<uint8_t>(~static_cast<uint8_t>(one)),
                         std::memory_order_relaxed);
  set_plain_limits();
}

} // namespace abut
