#include "placement/sampling/step.hpp"

#include "context/decoder.hpp"
#include "context/loaded_code.hpp"

#include <algorithm>
#include <iterator>

namespace abut::sample {

#ifdef ABUT_ZYDIS
namespace {

using context::Instruction;

constexpr unsigned kLongest = 15;
constexpr unsigned kJumpBytes = 6; // and the address that it reads

// Their low halves say so in the encodings of jumps, too: the order of kConditions is the processor's.
constexpr ZydisMnemonic kConditions[] = {
    ZYDIS_MNEMONIC_JO, ZYDIS_MNEMONIC_JNO, ZYDIS_MNEMONIC_JB,  ZYDIS_MNEMONIC_JNB,
    ZYDIS_MNEMONIC_JZ, ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_JBE, ZYDIS_MNEMONIC_JNBE,
    ZYDIS_MNEMONIC_JS, ZYDIS_MNEMONIC_JNS, ZYDIS_MNEMONIC_JP,  ZYDIS_MNEMONIC_JNP,
    ZYDIS_MNEMONIC_JL, ZYDIS_MNEMONIC_JNL, ZYDIS_MNEMONIC_JLE, ZYDIS_MNEMONIC_JNLE};

bool is_own_code(Address at) {
  return context::object_around(reinterpret_cast<Address>(&make_ready)).range.holds(at);
}

void find_code(Address at, KnownCode &known) {
  if (at - known.begin < known.end - known.begin) return;
  const context::CodeRange code = context::segment_around(context::object_around(at), at, true);
  known = {code.begin, code.end, is_own_code(at)};
}

uint8_t number_of(ZydisRegister name) {
  const int number = context::general_register(name);
  return number < 0 ? MemoryOperand::kNone : static_cast<uint8_t>(number);
}

// What the names of an operand's registers come to; false where it is relative to a segment or to vectors.
bool read_operand(const ZydisDecodedOperand &operand, MemoryOperand &made) {
  const auto &memory = operand.mem;
  if (memory.segment == ZYDIS_REGISTER_FS || memory.segment == ZYDIS_REGISTER_GS) return false;
  made.base = memory.base == ZYDIS_REGISTER_RIP ? MemoryOperand::kNext : number_of(memory.base);
  made.index = number_of(memory.index);
  if (memory.base != ZYDIS_REGISTER_NONE && made.base == MemoryOperand::kNone) return false;
  if (memory.index != ZYDIS_REGISTER_NONE && made.index == MemoryOperand::kNone) return false;
  made.scale = memory.scale;
  const auto displacement = memory.disp.value;
  made.displacement = static_cast<int32_t>(displacement);
  return displacement == made.displacement;
}

class Maker {
public:
  Maker(Address at, KnownCode &known, ReadyStep &step) : at_(at), known_(known), step_(step) {}

  void make(void (*after)()) {
    find_code(at_, known_);
    if (at_ - known_.begin >= known_.end - known_.begin) return end(End::foreign);
    const size_t most = std::min<size_t>(kLongest, known_.end - at_);
    if (!context::decode(at_, most, now_)) return end(End::not_known);
    step_.length = now_.head.length;
    step_.counts = !known_.is_own;
    read_operands();
    step_.step = goes_elsewhere() ? step_.step : plain();
    if (step_.step == Step::run || step_.step == Step::run_near) fill_slot(after);
  }

private:
  void end(End why) {
    step_.step = Step::end;
    step_.end = why;
    step_.length = 1;
  }

  void read_operands() {
    for (unsigned i = 0; i < now_.head.operand_count; ++i) {
      const ZydisDecodedOperand &operand = now_.operands[i];
      if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) use(operand.reg.value);
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
      use(operand.mem.base);
      use(operand.mem.index);
      next_is_read_ |= operand.mem.base == ZYDIS_REGISTER_RIP;
      next_is_cut_ |= operand.mem.base == ZYDIS_REGISTER_EIP;
      MemoryOperand made;
      const bool plain = read_operand(operand, made);
      if (i == 0) first_is_plain_ = plain;
      const bool variable = made.base == MemoryOperand::kNext || made.base == 4;
      const bool needed = i == 0 && leads_elsewhere();
      if (plain && operand.mem.type == ZYDIS_MEMOP_TYPE_MEM && (needed || !variable) &&
          step_.operand_count < ReadyStep::kMostOperands)
        step_.operands[step_.operand_count++] = made;
    }
  }

  // Whether the first operand says where to.
  bool leads_elsewhere() const {
    return now_.head.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
           now_.head.meta.category == ZYDIS_CATEGORY_CALL;
  }

  void use(ZydisRegister name) {
    if (const uint8_t number = number_of(name); number != MemoryOperand::kNone)
      used_ |= 1U << number;
  }

  // Whether the instruction goes on elsewhere than behind itself, or is not one to be moved.
  bool goes_elsewhere() {
    if (next_is_cut_) return end(End::not_known), true;
    switch (now_.head.meta.category) {
    case ZYDIS_CATEGORY_SYSCALL: return end(End::system_call), true;
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_SYSTEM: return end(End::not_known), true;
    case ZYDIS_CATEGORY_COND_BR: return jump_if(), true;
    case ZYDIS_CATEGORY_UNCOND_BR: return go(Step::jump, Step::jump_to, Step::jump_by), true;
    case ZYDIS_CATEGORY_CALL: return go(Step::call, Step::call_to, Step::call_by), true;
    case ZYDIS_CATEGORY_RET: return give_back(), true;
    default: return false;
    }
  }

  bool is_near() const {
    const auto type = now_.head.meta.branch_type;
    return (type == ZYDIS_BRANCH_TYPE_NEAR || type == ZYDIS_BRANCH_TYPE_SHORT) &&
           now_.head.operand_width == 64;
  }

  Address behind() const { return at_ + now_.head.length; }

  void jump_if() {
    const auto *found =
        std::find(std::begin(kConditions), std::end(kConditions), now_.head.mnemonic);
    if (found == std::end(kConditions) || !is_near()) return end(End::not_known);
    step_.step = Step::jump_if;
    step_.condition = static_cast<uint8_t>(found - kConditions);
    step_.target = behind() + now_.operands[0].imm.value.u;
  }

  // A jump or a call, by what says where to.
  void go(Step direct, Step by_register, Step by_memory) {
    const ZydisDecodedOperand &to = now_.operands[0];
    if (!is_near()) return end(End::not_known);
    if (to.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      step_.step = direct;
      step_.target = behind() + to.imm.value.u;
      step_.operand_count = 0;
    } else if (to.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      step_.step = by_register;
      step_.spare = number_of(to.reg.value);
      step_.operand_count = 0;
    } else if (to.type == ZYDIS_OPERAND_TYPE_MEMORY && first_is_plain_) {
      step_.step = by_memory;
      step_.operand_count = 1;
    } else {
      end(End::not_known);
    }
  }

  void give_back() {
    if (now_.head.mnemonic != ZYDIS_MNEMONIC_RET || !is_near()) return end(End::not_known);
    step_.step = Step::give_back;
    step_.operand_count = 0;
    if (now_.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
      step_.popped = static_cast<uint16_t>(now_.operands[0].imm.value.u);
  }

  Step plain() {
    switch (now_.head.mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_ENDBR64: step_.operand_count = 0; return Step::pass;
    case ZYDIS_MNEMONIC_POPFQ: // may let the processor stop after each instruction
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XEND:
    case ZYDIS_MNEMONIC_XABORT:
    case ZYDIS_MNEMONIC_WRFSBASE:
    case ZYDIS_MNEMONIC_WRGSBASE:
    case ZYDIS_MNEMONIC_RDSSPQ:
    case ZYDIS_MNEMONIC_INCSSPQ: end(End::not_known); return Step::end;
    default: return next_is_read_ ? Step::run_near : Step::run;
    }
  }

  // The copy, and a jump behind it. What is relative to the next instruction gets a register that is not used otherwise.
  void fill_slot(void (*after)()) {
    unsigned char *to = step_.slot;
    std::memcpy(to, reinterpret_cast<const void *>(at_), now_.head.length);
    if (step_.step == Step::run_near && !use_register_for_next(to)) return end(End::not_known);
    to += now_.head.length;
    constexpr unsigned char kJumpByNext[kJumpBytes] = {0xff, 0x25, 0, 0, 0, 0};
    std::memcpy(to, kJumpByNext, kJumpBytes);
    std::memcpy(to + kJumpBytes, &after, sizeof after);
  }

  bool use_register_for_next(unsigned char *copy) {
    constexpr uint8_t kCandidates[] = {0, 1, 2, 3, 6, 7};
    const auto *spare = std::find_if(std::begin(kCandidates), std::end(kCandidates),
                                     [&](uint8_t number) { return (used_ >> number & 1U) == 0; });
    if (spare == std::end(kCandidates)) return false;
    step_.spare = *spare;
    constexpr unsigned char kRegisterField = 0x38, kBaseAndLongDisplacement = 0x80, kRexBase = 1;
    unsigned char &mode = copy[now_.head.raw.modrm.offset];
    mode = static_cast<unsigned char>((mode & kRegisterField) | kBaseAndLongDisplacement | *spare);
    if ((now_.head.attributes & ZYDIS_ATTRIB_HAS_REX) != 0)
      copy[now_.head.raw.rex.offset] &= static_cast<unsigned char>(~kRexBase);
    return is_as_meant(copy);
  }

  // Some encodings say more of a register than the bits above: what came out is read again.
  bool is_as_meant(const unsigned char *copy) const {
    Instruction again;
    if (!context::decode(reinterpret_cast<Address>(copy), now_.head.length, again)) return false;
    if (again.head.mnemonic != now_.head.mnemonic || again.head.length != now_.head.length ||
        again.head.operand_count != now_.head.operand_count)
      return false;
    for (unsigned i = 0; i < again.head.operand_count; ++i) {
      const ZydisDecodedOperand &was = now_.operands[i], &is = again.operands[i];
      if (was.type != is.type) return false;
      if (was.type == ZYDIS_OPERAND_TYPE_REGISTER && was.reg.value != is.reg.value) return false;
      if (was.type != ZYDIS_OPERAND_TYPE_MEMORY || was.mem.base != ZYDIS_REGISTER_RIP) continue;
      if (number_of(is.mem.base) != step_.spare || is.mem.index != ZYDIS_REGISTER_NONE ||
          is.mem.disp.value != was.mem.disp.value)
        return false;
    }
    return true;
  }

  Address at_;
  KnownCode &known_;
  ReadyStep &step_;
  Instruction now_;
  uint32_t used_ = 1U << 4; // never the stack pointer
  bool first_is_plain_ = false, next_is_read_ = false, next_is_cut_ = false;
};

} // namespace

void make_ready(Address at, void (*after)(), KnownCode &known, ReadyStep &step) {
  unsigned char *slot = step.slot;
  step = {};
  step.slot = slot;
  Maker(at, known, step).make(after);
  step.at = at;
  step.bytes = step.end == End::foreign ? CodeBytes{} : CodeBytes::at(at, step.length);
}
#else
void make_ready(Address, void (*)(), KnownCode &, ReadyStep &step) { step.end = End::not_known; }
#endif

} // namespace abut::sample
