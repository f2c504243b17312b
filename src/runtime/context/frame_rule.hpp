// How to get from a frame to its caller's, learnt once for each return address from the object's .eh_frame.
//
// Three forms of the canonical frame address are understood, which is what compilers write: rsp + K, rbp + K and
// [rbp + K]. Where there is no rule, or one of another form, or the frame is a signal's, a chain ends.
#pragma once

#include "context/cfi_reader.hpp"
#include "context/stack_view.hpp"

#include <cstdint>

namespace abut::context {

// Where a procedure stands at its entry: `sp` points to its return address, `rbp` is its caller's.
struct Frame {
  const Address *sp = nullptr;
  Address rbp = 0;
};

struct FrameRule {
  enum class Form : uint8_t { none, from_rsp, from_rbp, through_rbp };
  enum class Rbp : uint8_t { same, at_cfa, at_rbp };

  int32_t cfa_offset = 0; // bytes
  int32_t rbp_offset = 0; // bytes
  Form form = Form::none;
  Rbp rbp = Rbp::same;

  explicit operator bool() const { return form != Form::none; }
};

struct Procedure {
  FrameRule rule;
  CodeRange code; // empty where no table knows it
};

// The rule at the instruction that a call returns to. Neither locks nor allocates; a malformed table has no rule.
Procedure find_procedure(Address return_address);

// From the frame of a procedure that was called, to the frame of its caller. False, and `frame` as it was, where the
// rule leads out of the stack; so a rule of code that has since been replaced is harmless.
inline bool step(const FrameRule &rule, Frame &frame) {
  const auto sp = reinterpret_cast<Address>(frame.sp + 1);
  const auto load = [](Address at) { return *reinterpret_cast<const Address *>(at); };
  Address cfa;
  if (rule.form == FrameRule::Form::from_rsp) [[likely]] {
    cfa = sp + static_cast<Address>(int64_t{rule.cfa_offset});
  } else {
    cfa = frame.rbp + static_cast<Address>(int64_t{rule.cfa_offset});
    if (rule.form == FrameRule::Form::through_rbp) {
      if (!stack_view.readable(sp, cfa)) return false;
      cfa = load(cfa);
    }
  }
  const Address next = cfa - sizeof(Address);
  if (!stack_view.readable(sp, next)) return false;
  Address rbp = frame.rbp;
  if (rule.rbp != FrameRule::Rbp::same) {
    const Address from = rule.rbp == FrameRule::Rbp::at_cfa ? cfa : frame.rbp;
    const Address saved = from + static_cast<Address>(int64_t{rule.rbp_offset});
    if (saved > next || !stack_view.readable(sp, saved)) return false;
    rbp = load(saved);
  }
  frame = {reinterpret_cast<const Address *>(next), rbp};
  return true;
}

} // namespace abut::context
