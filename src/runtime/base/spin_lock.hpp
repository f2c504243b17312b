// A lock of one byte for sections of well under a microsecond. It cannot allocate and needs no destructor.
#pragma once

#include <atomic>

namespace abut {

// `Policy` is supplied by the OS layer: relax(tries) is called while waiting, with the number of tries so far;
// where exempt() is true the running thread holds every lock there is, and takes and releases none.
template <class Policy>
class BasicSpinLock {
public:
  bool try_lock() {
    return Policy::exempt() || (!taken_.load(std::memory_order_relaxed) &&
                                !taken_.exchange(true, std::memory_order_acquire));
  }
  void lock() {
    for (unsigned tries = 0; !try_lock(); ++tries) Policy::relax(tries);
  }
  void unlock() {
    if (!Policy::exempt()) taken_.store(false, std::memory_order_release);
  }

private:
  std::atomic<bool> taken_{false};
};

} // namespace abut
