// Whether a layer above the heap wants to see requests before the heap serves them. One byte for all of them, so that a
// request that nobody looks at pays one comparison.
#pragma once

#include <atomic>
#include <cstdint>

namespace abut {

enum class Looker : uint8_t { near = 1, plan = 2, group = 4 };

inline constinit std::atomic<uint8_t> attention __attribute__((visibility("hidden"))){0};

inline bool somebody_looks() { return attention.load(std::memory_order_relaxed) != 0; }
inline bool looks(Looker who) {
  return (attention.load(std::memory_order_relaxed) & static_cast<uint8_t>(who)) != 0;
}
inline void begin_to_look(Looker who) {
  attention.fetch_or(static_cast<uint8_t>(who), std::memory_order_relaxed);
}
inline void end_to_look(Looker who) {
  attention.fetch_and(static_cast<uint8_t>(~static_cast<uint8_t>(who)), std::memory_order_relaxed);
}

} // namespace abut
