// Which placement policies are enabled, above the heap. One mask for all, so that a request pays one comparison while none is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace abut {

enum class Policy : uint8_t { friends = 1, plan = 2, pools = 4 };

inline constinit std::atomic<uint8_t> enabled_mask __attribute__((visibility("hidden"))){0};

// Requests of up to so many bytes go to the plain heap at once, tiny ones and small ones: zero while a policy is enabled, so
// that malloc tests that and how long a request is in one comparison.
inline constexpr size_t kPlainTiny = 256, kPlainSmall = 1024;
// What a policy places is no larger.
inline constexpr size_t kPlacedMost = 512;
inline constinit std::atomic<size_t> plain_tiny __attribute__((visibility("hidden"))){kPlainTiny};
inline constinit std::atomic<size_t> plain_small __attribute__((visibility("hidden"))){kPlainSmall};

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
    plain_tiny.store(mask == 0 ? kPlainTiny : 0, std::memory_order_seq_cst);
    plain_small.store(mask == 0 ? kPlainSmall : 0, std::memory_order_seq_cst);
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
