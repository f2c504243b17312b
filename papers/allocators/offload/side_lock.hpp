// A lock that tells who holds it: the program, or the process that serves it.
#pragma once

#include "os/os.hpp"

#include <atomic>

namespace abut::offload {

enum class Side : uint32_t { nobody, program, server };

// Which one this process is.
inline constinit Side this_side = Side::program;

class SideLock {
public:
  bool try_lock() {
    Side seen = Side::nobody;
    return os::holds_every_lock ||
           (holder_.load(std::memory_order_relaxed) == Side::nobody &&
            holder_.compare_exchange_strong(seen, this_side, std::memory_order_acquire));
  }

  // Waits for the lock. Every so often `look(holder)` is called.
  template <class Look>
  void lock(Look look) {
    constexpr unsigned kOften = 1024;
    for (unsigned tries = 1; !try_lock(); ++tries) {
      os::relax(tries);
      if (tries % kOften == 0) look(holder());
    }
  }

  void unlock() {
    if (!os::holds_every_lock) holder_.store(Side::nobody, std::memory_order_release);
  }

  Side holder() const { return holder_.load(std::memory_order_relaxed); }

private:
  std::atomic<Side> holder_{Side::nobody};
};

} // namespace abut::offload
