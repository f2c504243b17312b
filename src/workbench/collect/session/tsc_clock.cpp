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

void StampClock::observe(ClockReading now) {
  if (now.stamps <= begin_.stamps || now.nanoseconds - begin_.nanoseconds < 1'000'000) return;
  rate_ = static_cast<double>(now.nanoseconds - begin_.nanoseconds) /
          static_cast<double>(now.stamps - begin_.stamps);
}

uint64_t StampClock::nanoseconds(uint64_t stamps) {
  if (stamps > begin_.stamps)
    last_ =
        std::max(last_, static_cast<uint64_t>(static_cast<double>(stamps - begin_.stamps) * rate_));
  return last_;
}

} // namespace abut::record
