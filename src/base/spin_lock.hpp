// A lock of one byte for sections of well under a microsecond. It cannot allocate and needs no destructor.
#pragma once

#include <atomic>

namespace abut {

// `Relax` is called while waiting, with the number of tries so far: the OS layer supplies it.
template <void (*Relax)(unsigned)>
class BasicSpinLock {
public:
  bool try_lock() {
    return !taken_.load(std::memory_order_relaxed) &&
           !taken_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    for (unsigned tries = 0; !try_lock(); ++tries) Relax(tries);
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

private:
  std::atomic<bool> taken_{false};
};

} // namespace abut
