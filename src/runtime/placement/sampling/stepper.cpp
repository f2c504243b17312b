// This file is compiled without vector registers: they hold the program's values while it runs.
#include "placement/sampling/stepper.hpp"

// What the assembly below uses, by offsets.
extern "C" {
struct AbutStepped {
  uint64_t general[16];
  uint64_t flags;     // 128
  uint64_t own_stack; // 136
  const void *slot;   // 144
};
__attribute__((visibility("hidden"), used)) AbutStepped abut_stepped;
__attribute__((visibility("hidden"))) void abut_run_slot();
__attribute__((visibility("hidden"))) void abut_after_slot();
}

#define LOAD(offset, name) "mov abut_stepped+" #offset "(%rip), %" #name "\n"
#define STORE(offset, name) "mov %" #name ", abut_stepped+" #offset "(%rip)\n"
#define EACH_REGISTER(DO)                                                                          \
  DO(0, rax)                                                                                       \
  DO(8, rcx)                                                                                       \
  DO(16, rdx)                                                                                      \
  DO(24, rbx)                                                                                      \
  DO(40, rbp)                                                                                      \
  DO(48, rsi)                                                                                      \
  DO(56, rdi)                                                                                      \
  DO(64, r8)                                                                                       \
  DO(72, r9) DO(80, r10) DO(88, r11) DO(96, r12) DO(104, r13) DO(112, r14) DO(120, r15) DO(32, rsp)

asm(".pushsection .text\n"
    ".hidden abut_run_slot\n.globl abut_run_slot\nabut_run_slot:\n"
    "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp, abut_stepped+136(%rip)\n"
    "pushq abut_stepped+128(%rip)\npopfq\n" EACH_REGISTER(
        LOAD) "jmp *abut_stepped+144(%rip)\n"
              ".hidden abut_after_slot\n.globl abut_after_slot\nabut_after_slot:\n" EACH_REGISTER(
                  STORE) "mov abut_stepped+136(%rip), %rsp\n"
                         "pushfq\npopq abut_stepped+128(%rip)\ncld\n"
                         "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n"
                         ".popsection\n");

namespace abut::sample {
namespace {

constexpr unsigned kRsp = os::Registers::kRsp;

ReadyStep *ready = nullptr;
AbutStepped &now = abut_stepped;

void put_extended(const os::Registers &registers) {
  asm volatile("xrstor64 (%0)" ::"r"(registers.extended),
               "a"(static_cast<uint32_t>(registers.extended_parts)),
               "d"(static_cast<uint32_t>(registers.extended_parts >> 32))
               : "memory");
}

void keep_extended(const os::Registers &registers) {
  asm volatile("xsave64 (%0)" ::"r"(registers.extended),
               "a"(static_cast<uint32_t>(registers.extended_parts)),
               "d"(static_cast<uint32_t>(registers.extended_parts >> 32))
               : "memory");
}

bool holds(unsigned condition, uint64_t flags) {
  const bool carry = (flags & 1) != 0, parity = (flags >> 2 & 1) != 0, zero = (flags >> 6 & 1) != 0,
             sign = (flags >> 7 & 1) != 0, overflow = (flags >> 11 & 1) != 0;
  bool is = false;
  switch (condition / 2) {
  case 0: is = overflow; break;
  case 1: is = carry; break;
  case 2: is = zero; break;
  case 3: is = carry || zero; break;
  case 4: is = sign; break;
  case 5: is = parity; break;
  case 6: is = sign != overflow; break;
  default: is = zero || sign != overflow; break;
  }
  return is != (condition % 2 != 0);
}

Address address_of(const MemoryOperand &operand, Address next) {
  auto address = static_cast<Address>(int64_t{operand.displacement});
  if (operand.base == MemoryOperand::kNext)
    address += next;
  else if (operand.base != MemoryOperand::kNone)
    address += now.general[operand.base];
  if (operand.index != MemoryOperand::kNone) address += now.general[operand.index] * operand.scale;
  return address;
}

void record(const ReadyStep &step, Accesses &accesses, Address next) {
  for (unsigned i = 0; i < step.operand_count; ++i) {
    if (accesses.count == Accesses::kMost) return;
    accesses.at[accesses.count++] = address_of(step.operands[i], next);
  }
}

void run(const ReadyStep &step) {
  now.slot = step.slot;
  abut_run_slot();
}

void push(uint64_t value) {
  now.general[kRsp] -= sizeof value;
  *reinterpret_cast<uint64_t *>(now.general[kRsp]) = value;
}

uint64_t load(Address from) { return *reinterpret_cast<const uint64_t *>(from); }

// Executes one instruction; where the next one is.
Address execute(const ReadyStep &step, Address next) {
  switch (step.step) {
  case Step::end:
  case Step::pass: return next;
  case Step::run: return run(step), next;
  case Step::run_near: {
    const uint64_t kept = now.general[step.spare];
    now.general[step.spare] = next;
    run(step);
    now.general[step.spare] = kept;
    return next;
  }
  case Step::jump: return step.target;
  case Step::jump_if: return holds(step.condition, now.flags) ? step.target : next;
  case Step::jump_to: return now.general[step.spare];
  case Step::jump_by: return load(address_of(step.operands[0], next));
  case Step::call: return push(next), step.target;
  case Step::call_to: {
    const Address to = now.general[step.spare];
    return push(next), to;
  }
  case Step::call_by: {
    const Address to = load(address_of(step.operands[0], next));
    return push(next), to;
  }
  case Step::give_back: {
    const Address to = load(now.general[kRsp]);
    now.general[kRsp] += sizeof to + step.popped;
    return to;
  }
  }
  return next;
}

} // namespace

void keep_steps_in(ReadyStep *steps) { ready = steps; }

Outcome step_through(os::Registers &registers, unsigned most, Accesses &accesses) {
  Outcome outcome;
  KnownCode known;
  for (unsigned i = 0; i < 16; ++i) now.general[i] = registers.general[i];
  now.flags = registers.flags;
  Address at = registers.instruction;
  const uint64_t *restartable = os::restartable_sequence();
  put_extended(registers);
  while (outcome.steps < most && outcome.end == End::none) {
    ReadyStep &step = ready[at * 0x9e3779b97f4a7c15U >> (64 - kLogReadySteps)];
    if (step.end == End::foreign || !step.is_for(at)) [[unlikely]] {
      keep_extended(registers);
      make_ready(at, abut_after_slot, known, step);
      put_extended(registers);
    }
    if (step.step == Step::end) {
      outcome.end = step.end;
      break;
    }
    const Address next = at + step.length;
    if (step.counts) record(step, accesses, next);
    at = execute(step, next);
    ++outcome.steps;
    if (*restartable != 0) [[unlikely]]
      outcome.end = End::restarting;
  }
  keep_extended(registers);
  for (unsigned i = 0; i < 16; ++i) registers.general[i] = now.general[i];
  registers.flags = now.flags;
  registers.instruction = at;
  return outcome;
}

} // namespace abut::sample
