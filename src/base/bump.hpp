// Counters that several threads may count with now and then, where a count lost in a race does no harm.
#pragma once

#include <atomic>

namespace abut {

template <class Number>
inline void bump(Number &counter, Number by = 1) {
  std::atomic_ref<Number> shared(counter);
  shared.store(static_cast<Number>(shared.load(std::memory_order_relaxed) + by),
               std::memory_order_relaxed);
}

} // namespace abut
