// A ring of pointers from one thread to another: each end has a line of its own, and looks at the other's only when it
// must.
#pragma once

#include "base/units.hpp"

#include <atomic>

namespace abut::offload {

template <uint32_t N>
class Ring {
  static_assert(is_power_of_two(N));

public:
  // For the thread that puts in: false where the ring is full.
  bool push(void *item) {
    const uint32_t at = back_.load(std::memory_order_relaxed);
    if (at - seen_front_ == N) {
      seen_front_ = front_.load(std::memory_order_acquire);
      if (at - seen_front_ == N) return false;
    }
    items_[at % N] = item;
    back_.store(at + 1, std::memory_order_release);
    return true;
  }

  // For the thread that takes out: null where the ring is empty.
  void *pop() {
    const uint32_t at = front_.load(std::memory_order_relaxed);
    if (at == seen_back_) {
      seen_back_ = back_.load(std::memory_order_acquire);
      if (at == seen_back_) return nullptr;
    }
    void *item = items_[at % N];
    front_.store(at + 1, std::memory_order_release);
    return item;
  }

  // Items in it, for any thread; right only while both ends rest.
  uint32_t size() const {
    return back_.load(std::memory_order_acquire) - front_.load(std::memory_order_acquire);
  }

private:
  alignas(kLineBytes) std::atomic<uint32_t> back_{0};
  uint32_t seen_front_ = 0;
  alignas(kLineBytes) std::atomic<uint32_t> front_{0};
  uint32_t seen_back_ = 0;
  alignas(kLineBytes) void *items_[N] = {};
};

} // namespace abut::offload
