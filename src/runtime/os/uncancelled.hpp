// A stretch of a thread's work in which it cannot be cancelled.
#pragma once

#include <pthread.h>

namespace abut::os {

// For calls into the C library that may be cancellation points, as those that print to a stream are.
class Uncancelled {
public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled &) = delete;
  Uncancelled &operator=(const Uncancelled &) = delete;

private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace abut::os
