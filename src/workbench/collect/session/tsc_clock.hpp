// Turns readings of the processor's time stamp counter into nanoseconds since a begin.
#pragma once

#include <cstdint>

namespace abut::record {

struct ClockReading {
  uint64_t ticks = 0;
  uint64_t nanoseconds = 0;
};

ClockReading read_clock();

// The rate is found out as time passes: `observe` says what both clocks read now.
class TscClock {
public:
  explicit TscClock(ClockReading begin) : begin_(begin) {}

  void observe(ClockReading now);
  // Never less than what it said before.
  uint64_t nanoseconds(uint64_t ticks);

private:
  ClockReading begin_;
  double rate_ = 0.4; // until there is a better one
  uint64_t last_ = 0;
};

} // namespace abut::record
