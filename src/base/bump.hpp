// Counters that several threads may count with now and then, where a count lost in a race does no harm.
#pragma once

#include <atomic>
#include <cstdint>

namespace abut {

template <class Number>
inline void bump(Number &counter, Number by = 1) {
#ifdef __x86_64__
  // One instruction where three would be made of a load and a store: some are counted with every request.
  if constexpr (sizeof(Number) == sizeof(uint64_t)) {
    __asm__("addq %1, %0" : "+m"(counter) : "re"(by) : "cc");
    return;
  }
#endif
  std::atomic_ref<Number> shared(counter);
  shared.store(static_cast<Number>(shared.load(std::memory_order_relaxed) + by),
               std::memory_order_relaxed);
}

} // namespace abut
