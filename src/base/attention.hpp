// Whether a layer above the heap wants to see requests before the heap serves them. One byte for all of them, so that a
// request that nobody looks at pays one comparison.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace abut {

enum class Looker : uint8_t { near = 1, plan = 2, group = 4 };

inline constinit std::atomic<uint8_t> attention __attribute__((visibility("hidden"))){0};

inline bool somebody_looks() { return attention.load(std::memory_order_relaxed) != 0; }
inline bool looks(Looker who) {
  return (attention.load(std::memory_order_relaxed) & static_cast<uint8_t>(who)) != 0;
}

// Sites, by the return address of their calls, whose requests nobody has anything to do with as long as nobody begins to
// look: one look tells, where each looker would ask a table of its own. Of two at one place the later one stands there.
inline constexpr size_t kIdleSites = 4096;
inline constinit std::atomic<uintptr_t> idle_sites[kIdleSites]
    __attribute__((visibility("hidden"))){};

[[gnu::always_inline]] inline bool is_idle(uintptr_t site) {
  return idle_sites[site % kIdleSites].load(std::memory_order_relaxed) == site;
}
inline void remember_idle(uintptr_t site) {
  idle_sites[site % kIdleSites].store(site, std::memory_order_relaxed);
}
inline void forget_idle_sites() {
  for (auto &site : idle_sites)
    if (site.load(std::memory_order_relaxed) != 0) site.store(0, std::memory_order_relaxed);
}

inline void begin_to_look(Looker who) {
  forget_idle_sites();
  attention.fetch_or(static_cast<uint8_t>(who), std::memory_order_relaxed);
}
inline void end_to_look(Looker who) {
  attention.fetch_and(static_cast<uint8_t>(~static_cast<uint8_t>(who)), std::memory_order_relaxed);
}

} // namespace abut
