// A quantity that rises and falls, and the highest that it ever was.
#pragma once

#include <atomic>
#include <cstddef>

namespace abut::heap {

class Gauge {
public:
  void add(size_t amount) {
    const size_t value = value_.fetch_add(amount, std::memory_order_relaxed) + amount;
    size_t seen = highest_.load(std::memory_order_relaxed);
    while (value > seen &&
           !highest_.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
  void subtract(size_t amount) { value_.fetch_sub(amount, std::memory_order_relaxed); }

  size_t value() const { return value_.load(std::memory_order_relaxed); }
  size_t highest() const { return highest_.load(std::memory_order_relaxed); }

private:
  std::atomic<size_t> value_{0};
  std::atomic<size_t> highest_{0};
};

// Pages that pages of blocks, large and huge blocks have taken.
extern constinit Gauge pages_taken;

} // namespace abut::heap
