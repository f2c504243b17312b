// Which placement policies are enabled, above the heap. One mask for all, so that a request pays one comparison while none is.
#pragma once

#include "base/units.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

namespace abut {

enum class Policy : uint8_t { friends = 1, plan = 2, pools = 4 };

inline constinit std::atomic<uint8_t> enabled_mask __attribute__((visibility("hidden"))){0};

// What goes to the plain heap at once while no policy is enabled: these sizes. Smaller ones, which are tiny, do so later.
inline constexpr size_t kPlainLeast = 9, kPlainMost = 1024;
inline constexpr size_t kPlainSizes = kPlainMost - kPlainLeast + 1;
// What a policy places is no larger.
inline constexpr size_t kPlacedMost = 512;
// How many of those sizes: none while a policy is enabled, so that malloc tests that and the size in one comparison.
inline constinit std::atomic<size_t> plain_sizes __attribute__((visibility("hidden"))){kPlainSizes};

// What goes to the plain heap at once by the last byte of the call's return address, while one policy is enabled and it is known
// at which call sites it places something. Each heap has its own, at hand: other sites pay three instructions, and no look-up.
struct SiteLimits {
  size_t sizes[256];
  // At run time not written to: a heap is made in memory that reads as zero, and its pages are to stay untouched.
  constexpr SiteLimits() {
    if (std::is_constant_evaluated()) std::ranges::fill(sizes, 0);
  }

  // A heap that is made meanwhile copies them.
  void set_all_plain() {
    for (size_t &one : sizes) set(one, kPlainSizes);
  }
  void set_not_plain(Address site) { set(sizes[site & 0xff], 0); }

private:
  static void set(size_t &one, size_t to) {
    std::atomic_ref(one).store(to, std::memory_order_relaxed);
  }
};
inline constexpr SiteLimits kNoSiteIsPlain{};

// The policies that were enabled at one time.
struct EnabledPolicies {
  uint8_t mask;
  bool any() const { return mask != 0; }
  bool has(Policy one) const { return (mask & static_cast<uint8_t>(one)) != 0; }
};

inline EnabledPolicies enabled_policies() { return {enabled_mask.load(std::memory_order_relaxed)}; }
inline bool any_policy_enabled() { return enabled_policies().any(); }
inline bool is_enabled(Policy one) { return enabled_policies().has(one); }

// Called with what is enabled at each change; or null.
using PoliciesListener = void(EnabledPolicies now);
inline constinit PoliciesListener *policies_listener __attribute__((visibility("hidden"))) =
    nullptr;

// Again where another thread has changed the mask meanwhile.
inline void set_plain_limits() {
  uint8_t mask = 0;
  do {
    mask = enabled_mask.load(std::memory_order_seq_cst);
    if (policies_listener != nullptr) policies_listener({mask});
    plain_sizes.store(mask == 0 ? kPlainSizes : 0, std::memory_order_seq_cst);
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
