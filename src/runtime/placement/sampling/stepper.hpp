// Executes a thread's next instructions out of line, one by one, and says what they access.
//
// The trap flag would do the same at a hundred times the price under a hypervisor, and kill a program that blocks its
// signal.
#pragma once

#include "os/bursts.hpp"
#include "placement/sampling/step.hpp"

namespace abut::sample {

// The addresses that a burst accessed, in order, up to so many; but for the program's variables.
struct Accesses {
  static constexpr unsigned kMost = 4096;
  unsigned count = 0;
  Address at[kMost];
};

struct Outcome {
  unsigned steps = 0;
  End end = End::none;
};

// Where instructions are kept, with a slot each. Before the first of:
inline constexpr unsigned kLogReadySteps = 14;
void keep_steps_in(ReadyStep *steps);

// Goes on from `registers` for at most `most` instructions. One thread at a time.
Outcome step_through(os::Registers &registers, unsigned most, Accesses &accesses);

} // namespace abut::sample
