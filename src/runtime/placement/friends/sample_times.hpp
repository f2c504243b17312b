// When requests are sampled, and when none is looked at.
#pragma once

#include "base/policies.hpp"

#include <atomic>
#include <cstdint>

namespace abut::near {

// Sites are sampled while the heap grows: objects that stay make it grow, and objects that are freed soon need no special
// place. Each time it has grown by a quarter, friends are enabled for some thousand requests, and disabled again unless rules
// place objects by then. So programs without friends pay one comparison a request.
inline bool is_active() { return is_enabled(Policy::friends); }

// When no samples are left: disables friends, unless enough was placed.
void pause_sampling();
extern uint32_t samples_left;

// A request of a plain site counts less than one that may be placed.
inline constexpr uint32_t kSkipCost = 1;
inline constexpr uint32_t kSampleCost = 4;
inline constexpr uint32_t kVainCost = 4; // besides, where a wrapper's caller was found in vain

// True when that was the last.
[[gnu::always_inline]] inline bool count_sample(uint32_t effort) {
  const uint32_t left = std::atomic_ref(samples_left).load(std::memory_order_relaxed);
  if (left == 0) return false;
  const uint32_t rest = left > effort ? left - effort : 0;
  std::atomic_ref(samples_left).store(rest, std::memory_order_relaxed);
  return rest == 0;
}
inline bool samples_remain() {
  return std::atomic_ref(samples_left).load(std::memory_order_relaxed) != 0;
}

// A time of sampling that meets a new context has its full length again: so a program's next phase is sampled as its first was.
void sample_longer();

// A sample that found another thread learning does not count: that may take long.
inline void return_sample() {
  const uint32_t left = std::atomic_ref(samples_left).load(std::memory_order_relaxed);
  if (left != 0) std::atomic_ref(samples_left).store(left + kSampleCost, std::memory_order_relaxed);
}

// The first time of sampling begins when the heap has grown.
void await_growth();

} // namespace abut::near
