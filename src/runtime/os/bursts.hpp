// Threads that are interrupted now and then, by the processor time that they use, with their registers at hand.
#pragma once

#include "base/units.hpp"

namespace abut::os {

// Where a thread was interrupted. It goes on with what the handler leaves here.
struct Registers {
  static constexpr unsigned kRsp = 4;

  uint64_t general[16]; // by their numbers: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15
  uint64_t flags;
  Address instruction;
  void *extended;          // the others, as xsave leaves them
  uint64_t extended_parts; // which of them are there: a mask for xsave and xrstor
};

// Does something with a thread's registers; the nanoseconds of the thread's time until it is to be interrupted again.
// No signal comes in the meantime. The stack is another than the thread's.
using Burst = uint64_t (*)(Registers &registers);

// Null when threads can join from now on, else why they cannot. Once, before the program has threads.
const char *start_bursts(Burst burst);

// Interrupts this thread from now on, for the first time after `delay` nanoseconds of its time; until it ends.
void join_bursts(uint64_t delay);

// No burst begins any more.
void stop_bursts();

// Whether a burst must not go on: not zero while this thread is in a restartable sequence, which the kernel recognises
// by the address of its code.
const uint64_t *restartable_sequence();

// Memory to write instructions to and run them; null where that is forbidden.
void *map_code(size_t bytes);

} // namespace abut::os
