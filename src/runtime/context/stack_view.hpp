// What is known to be readable of the stack that a thread runs on, so that no walk up it can fault.
//
// A thread may change stacks (signals, coroutines), and nothing tells where a stack ends without allocating; so
// pages are tried, once, through the kernel, from the stack pointer up to what a walk reads.
#pragma once

#include "base/units.hpp"

namespace abut::context {

class StackView {
public:
  // Whether the 8 bytes at `at` lie on the stack at or above `sp`, where a return address ends: its page is there. Aligned ones
  // only: others are no rule's work.
  bool readable(Address sp, Address at) {
    if (at < sp || at % sizeof(Address) != 0) return false;
    if (sp >= low_ && at < high_) [[likely]]
      return true;
    if ((at ^ (sp - sizeof(Address))) < kPageBytes) return true;
    return explore(sp, at);
  }
  // All from `sp` to the 8 bytes here is readable; zero where that is not known.
  Address last_known(Address sp) const { return sp >= low_ ? high_ - sizeof(Address) : 0; }

private:
  // Longer than any frame that matters: beyond it, the chain ends.
  static constexpr size_t kFarthest = 256 * KiB;
  // Farther away is another stack.
  static constexpr size_t kWidestGap = 64 * KiB;

  bool explore(Address sp, Address at);

  // Multiples of a page; all between was readable. At first there is nothing.
  Address low_ = ~Address{0}, high_ = 0;
};

extern thread_local constinit StackView stack_view
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

} // namespace abut::context
