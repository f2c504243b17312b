// How much may be taken out of a process's rings: for what a recorder takes, the program pays.
//
// A program that makes no more on the average than can be taken is recorded whole, bursts included. One that makes more
// cannot be, whatever is taken of it; so less is, and in windows, in which all is there, rather than in shreds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace abut::record {

// In words, and readings of the time stamp counter. As it stands, everything may be taken.
struct DrainBudget {
  size_t held = ~size_t{0};      // that wait to be read, at most
  double words_per_tick = 1e9;   // on the average
  double burst = 1e18;           // after a time of rest
  double overrun_per_tick = 1e9; // on the average, of a program that makes more
  double window = 0;             // of such a one, at a time
};

class RateLimiter {
public:
  explicit RateLimiter(const DrainBudget &budget) : budget_(budget), words_(budget.burst) {}

  // Whether words may be taken; `made` were made from the beginning until `now`, taken or not.
  bool renew(uint64_t now, uint64_t made) {
    const uint64_t passed = now - std::min(now, std::exchange(renewed_, now));
    const double rate = overruns_ ? budget_.overrun_per_tick : budget_.words_per_tick;
    words_ = std::min(words_ + static_cast<double>(passed) * rate, budget_.burst);
    if (words_ <= 0) {
      if (is_open_) close(now, made);
    } else if (!is_open_ && words_ >= std::min(budget_.window, budget_.burst)) {
      open(now, made);
    }
    return is_open_;
  }
  void spend(size_t words) { words_ -= static_cast<double>(words); }

private:
  void close(uint64_t now, uint64_t made) {
    is_open_ = false;
    overruns_ = true;
    closed_at_ = now;
    made_before_ = made;
  }
  // Where little was made meanwhile, the program can be recorded whole again. What was lost may turn out to be less than
  // was counted before, as a thread takes back what it has counted in advance.
  void open(uint64_t now, uint64_t made) {
    is_open_ = true;
    const auto passed = static_cast<double>(now - closed_at_);
    const auto made_since = static_cast<double>(made - std::min(made, made_before_));
    overruns_ = made_since > passed * budget_.words_per_tick;
  }

  DrainBudget budget_;
  double words_;
  uint64_t renewed_ = 0;
  bool is_open_ = true;
  bool overruns_ = false;
  uint64_t closed_at_ = 0;
  uint64_t made_before_ = 0;
};

} // namespace abut::record
