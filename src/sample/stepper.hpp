// Executes a thread's next instructions out of line, one by one, and says what they access.
//
// The trap flag would do the same at a hundred times the price under a hypervisor, and kill a program that blocks its
// signal.
#pragma once

#include "os/bursts.hpp"
#include "sample/step.hpp"

namespace abut::sample {

// The addresses of the heap that a burst accessed, in order, up to so many.
struct Accesses {
  static constexpr unsigned kMost = 1024;
  unsigned count = 0;
  Address at[kMost];
};

struct Outcome {
  unsigned steps = 0;
  unsigned misses = 0; // instructions that had to be made ready first
  End end = End::none;
};

// Null when bursts can be stepped from now on, else why not.
const char *prepare_stepping();

// Goes on from `registers` for at most `most` instructions. One thread at a time.
Outcome step_through(os::Registers &registers, unsigned most, Accesses &accesses);

} // namespace abut::sample
