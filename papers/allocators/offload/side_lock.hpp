// A lock that tells who holds it: the program, or the process that serves it. If that one was killed while it held the
// lock, the heap is half changed; otherwise it is whole.
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

  // Waits for the lock. Every so often `look(holder)` is called; where it answers true, the holder is no more, and the
  // lock is taken over from it.
  template <class Look>
  bool lock(Look look) {
    for (unsigned tries = 0; !try_lock(); ++tries) {
      os::relax(tries);
      if (tries % kLook != kLook - 1) continue;
      Side holder = holder_.load(std::memory_order_relaxed);
      if (look(holder) &&
          holder_.compare_exchange_strong(holder, this_side, std::memory_order_acquire))
        return true;
    }
    return false;
  }

  void unlock() {
    if (!os::holds_every_lock) holder_.store(Side::nobody, std::memory_order_release);
  }

  Side holder() const { return holder_.load(std::memory_order_relaxed); }

private:
  static constexpr unsigned kLook = 1024;

  std::atomic<Side> holder_{Side::nobody};
};

} // namespace abut::offload
