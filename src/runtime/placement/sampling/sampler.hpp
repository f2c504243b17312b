// A sample of what a program accesses: now and then, and for a bounded share of its time, a burst of its instructions is
// looked at.
#pragma once

#include "placement/sampling/stepper.hpp"

namespace abut::sample {

// Gets what a burst accessed. It is called while the thread is interrupted, anywhere: no lock, no allocation.
using Listener = void (*)(const Accesses &accesses);

struct Counts {
  uint64_t bursts = 0;
  uint64_t steps = 0;
  uint64_t accesses = 0; // to the heap
  uint64_t nanoseconds = 0;
  uint64_t ended[5] = {}; // bursts, by End
};

// Null when threads can join from now on, else why they cannot. A burst comes every `period` microseconds of a thread's
// time at most.
const char *start(Listener listener, uint64_t period);

// This thread is looked at from now on.
void join();

void stop();

const Counts &counts();

} // namespace abut::sample
