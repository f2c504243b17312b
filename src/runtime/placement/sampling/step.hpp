// One instruction of a program, made ready to be executed elsewhere.
//
// What only computes is copied into a slot of memory and run there. What goes to another instruction is done by hand.
#pragma once

#include "base/units.hpp"

#include <cstring>

namespace abut::sample {

enum class Step : uint8_t {
  end,      // a burst ends before it: see End
  run,      // in its slot
  run_near, // the same, with a register that stands for the address of the next instruction
  pass,     // it does nothing
  jump,
  jump_if,
  jump_to, // what a register holds
  jump_by, // what memory holds
  call,    // these three, with the return address on the stack
  call_to,
  call_by,
  give_back, // return
};

// Why a burst ends before its time.
enum class End : uint8_t {
  none,
  system_call,
  foreign,    // code that is in no file: made at run time
  not_known,  // an instruction that is better not moved
  restarting, // a restartable sequence begins
};

// Where an instruction reads or writes: a sum of registers and a number.
struct MemoryOperand {
  static constexpr uint8_t kNone = 255;
  static constexpr uint8_t kNext = 16; // the address of the next instruction

  uint8_t base = kNone;
  uint8_t index = kNone;
  uint8_t scale = 0;
  int32_t displacement = 0;
};

// The bytes of an instruction of so many.
struct CodeBytes {
  uint64_t first = 0, last = 0;
  bool operator==(const CodeBytes &) const = default;

  static CodeBytes at(Address code, unsigned length) {
    const auto *bytes = reinterpret_cast<const unsigned char *>(code);
    if (length >= 8) return {load<uint64_t>(bytes), load<uint64_t>(bytes + length - 8)};
    if (length >= 4) return {load<uint32_t>(bytes), load<uint32_t>(bytes + length - 4)};
    return {bytes[0], uint64_t{bytes[length / 2]} << 8 | bytes[length - 1]};
  }

private:
  template <class Number>
  static uint64_t load(const unsigned char *from) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    return number;
  }
};

struct ReadyStep {
  static constexpr unsigned kMostOperands = 2;
  static constexpr unsigned kSlotBytes = 32;

  Address at = 0;
  CodeBytes bytes; // so that code which has changed is noticed
  Step step = Step::end;
  End end = End::none;
  uint8_t length = 0;
  uint8_t operand_count = 0;
  uint8_t condition = 0; // as the processor numbers them
  uint8_t spare =
      0; // the register that a jump or a call reads, or that stands for the next address
  uint16_t popped = 0; // bytes that a return takes off the stack
  bool counts = false; // whether its accesses are the program's, not the heap's own
  MemoryOperand operands[kMostOperands];
  Address target = 0;
  unsigned char *slot = nullptr;

  bool is_for(Address code) const { return at == code && bytes == CodeBytes::at(code, length); }
};

// Code that is known to be a file's, until code may be loaded or unloaded again: for one burst.
struct KnownCode {
  Address begin = 0, end = 0;
  bool is_own = false; // the heap's
};

// Makes the instruction at `at` ready; `step.slot` is memory to put it into, from which it goes on to `after`.
void make_ready(Address at, void (*after)(), KnownCode &known, ReadyStep &step);

} // namespace abut::sample
