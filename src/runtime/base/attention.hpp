// Whether a layer above the heap wants to see requests before the heap serves them. One byte for all of them, so that a
// request that nobody looks at pays one comparison.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace abut {

enum class Looker : uint8_t { near = 1, plan = 2, group = 4 };

inline constinit std::atomic<uint8_t> attention __attribute__((visibility("hidden"))){0};

// Requests of up to so many bytes are served from the plain heap without a further question: zero while somebody looks, so
// that malloc asks that and whether a request is small in one comparison.
inline constexpr size_t kPlainMost = 512;
inline constinit std::atomic<size_t> plain_limit __attribute__((visibility("hidden"))){kPlainMost};

// Who looked at one time.
struct Lookers {
  uint8_t who;
  bool any() const { return who != 0; }
  bool has(Looker one) const { return (who & static_cast<uint8_t>(one)) != 0; }
};
inline Lookers lookers() { return {attention.load(std::memory_order_relaxed)}; }
inline bool somebody_looks() { return lookers().any(); }
inline bool looks(Looker who) { return lookers().has(who); }

inline void set_plain_limit() {
  uint8_t who = 0;
  do {
    who = attention.load(std::memory_order_seq_cst);
    plain_limit.store(who == 0 ? kPlainMost : 0, std::memory_order_seq_cst);
  } while (attention.load(std::memory_order_seq_cst) != who);
}

inline void begin_to_look(Looker who) {
  attention.fetch_or(static_cast<uint8_t>(who), std::memory_order_relaxed);
  set_plain_limit();
}
inline void end_to_look(Looker who) {
  attention.fetch_and(static_cast<uint8_t>(~static_cast<uint8_t>(who)), std::memory_order_relaxed);
  set_plain_limit();
}

} // namespace abut
