// One lock around a heap, which a fork finds free: what makes an allocator for one thread one for many.
#pragma once

#include "allocators/layers/concepts.hpp"
#include "os/os.hpp"

#include <mutex>

namespace abut::layers {

template <Heap Below>
class Locked {
public:
  void *allocate(size_t bytes, size_t align) {
    const std::lock_guard guard(lock_);
    return below_.allocate(bytes, align);
  }
  Release release(void *block) {
    const std::lock_guard guard(lock_);
    return below_.release(block);
  }
  size_t usable(const void *block) {
    const std::lock_guard guard(lock_);
    return below_.usable(block);
  }

  Below &below() { return below_; }
  os::SpinLock &lock() { return lock_; }

private:
  os::SpinLock lock_;
  Below below_;
};

} // namespace abut::layers
