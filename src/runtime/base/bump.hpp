// Counters that several threads may count with now and then, where a count lost in a race does no harm.
#pragma once

#include <atomic>
#include <cstdint>

namespace abut {

template <class Number>
inline void bump(Number &counter, Number by = 1) {
  // One instruction where three would be made of a load and a store: some are counted with every request.
  if constexpr (sizeof(Number) == sizeof(uint64_t)) {
    __asm__("addq %1, %0" : "+m"(counter) : "re"(by) : "cc");
    return;
  }
  std::atomic_ref<Number> shared(counter);
  shared.store(static_cast<Number>(shared.load(std::memory_order_relaxed) + by),
               std::memory_order_relaxed);
}

// Counts in the lowest byte alone: one instruction also shows that it was the last of 256, after which carry() is due.
[[gnu::always_inline]] inline bool bump_lowest(uint64_t &counter) {
  auto &lowest = reinterpret_cast<uint8_t &>(counter);
  bool carries;
  __asm__("addb $1, %1" : "=@ccc"(carries), "+m"(lowest));
  return carries;
}
inline void carry(uint64_t &counter) { bump(counter, uint64_t{256}); }

} // namespace abut
