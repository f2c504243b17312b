// What a thread's registers and stack held when it asked for memory.
//
// The callee-saved registers are those of the code that asked: whatever object it is about to link the new one to is
// likely in one of them, or on its stack, or one step away from there.
#pragma once

#include "base/units.hpp"

#include <cstdint>

namespace abut::near {

// As the entry stub pushes them; the program's stack follows the return address.
struct Captured {
  uint64_t words[1];

  static constexpr unsigned kRegisters = 6; // rbx rbp r12 r13 r14 r15
  static constexpr unsigned kFrame = 1;     // rbp
  static constexpr unsigned kReturnAddress = 6;
  static constexpr unsigned kFirstSlot = 7;
  static constexpr unsigned kMost = 40; // registers, return address and stack slots

  Address stack() const { return reinterpret_cast<Address>(&words[kFirstSlot]); }
};

// Where the stack of the program's first thread ends.
extern Address first_stack_end;
inline constexpr size_t kMostStack = 8 * MiB;

// The readable part of the stack from `from` on, where a return address ends. Of other threads' stacks nothing is known but that
// the page of that is there: it may be the stack's last word.
inline Address stack_limit(Address from) {
  if (first_stack_end - from < kMostStack) return first_stack_end;
  return round_down(from - 1, kPageBytes) + kPageBytes;
}

} // namespace abut::near
