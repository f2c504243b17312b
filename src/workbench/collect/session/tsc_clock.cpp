#include "collect/session/tsc_clock.hpp"

#include <algorithm>
#include <ctime>
#include <x86intrin.h>

namespace abut::record {

ClockReading read_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {__rdtsc(),
          static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec)};
}

void TscClock::observe(ClockReading now) {
  if (now.ticks <= begin_.ticks || now.nanoseconds - begin_.nanoseconds < 1'000'000) return;
  rate_ = static_cast<double>(now.nanoseconds - begin_.nanoseconds) /
          static_cast<double>(now.ticks - begin_.ticks);
}

uint64_t TscClock::nanoseconds(uint64_t ticks) {
  if (ticks > begin_.ticks)
    last_ =
        std::max(last_, static_cast<uint64_t>(static_cast<double>(ticks - begin_.ticks) * rate_));
  return last_;
}

} // namespace abut::record
