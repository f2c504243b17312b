// What the operands of an instruction are to a walk.
#pragma once

#include "context/decoder.hpp"
#include "context/walk_state.hpp"

#ifdef ABUT_ZYDIS
namespace abut::context {

// Slots named from rbp lie beyond those named from rsp.
inline constexpr int64_t kFramePointerSlots = int64_t{1} << 40;

// Whether an operand is a slot of the stack frame.
inline bool slot(const WalkState &state, const ZydisDecodedOperand &operand, int64_t &place) {
  if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.index != ZYDIS_REGISTER_NONE)
    return false;
  if (operand.mem.base == ZYDIS_REGISTER_RSP)
    place = state.stack;
  else if (operand.mem.base == ZYDIS_REGISTER_RBP && state.rbp_frame)
    place = kFramePointerSlots;
  else
    return false;
  place += operand.mem.disp.value;
  return true;
}

inline Holder holder_in(const WalkState &state, const ZydisDecodedOperand &operand) {
  if (operand.size != 64) return {};
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER)
    return state.in_register(general_register(operand.reg.value));
  int64_t place = 0;
  return slot(state, operand, place) ? state.in_slot(place) : Holder{};
}

// Whether `base` leads to a word that it points to itself.
inline bool is_through(Holder base, const ZydisDecodedOperand &operand) {
  return operand.mem.index == ZYDIS_REGISTER_NONE && operand.size == 64 &&
         base.moved != Holder::kUnknown && base.moved + operand.mem.disp.value == 0;
}

// The parameter that the operand is the word behind; zero if none.
inline unsigned parameter_through(const WalkState &state, const ZydisDecodedOperand &operand) {
  if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) return 0;
  const Holder base = state.in_register(general_register(operand.mem.base));
  return is_through(base, operand) ? base.parameter : 0;
}

// The same where parameters are not known, as far as the operand itself tells: it mostly does, and spares a second walk.
inline bool may_be_through_parameter(const ZydisDecodedOperand &operand) {
  return operand.mem.index == ZYDIS_REGISTER_NONE && operand.size == 64 &&
         operand.mem.disp.value == 0 && general_register(operand.mem.base) >= 0;
}

inline int zero_bit(const ZydisDecodedOperand &operand) {
  if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) return -1;
  const auto name = operand.reg.value;
  if (name >= ZYDIS_REGISTER_XMM0 && name <= ZYDIS_REGISTER_XMM15)
    return 16 + name - ZYDIS_REGISTER_XMM0;
  return general_register(name);
}

// Zeroes, and bytes that are copied, say nothing of what a block is for.
inline bool clears(const WalkState &state, const Instruction &now,
                   const ZydisDecodedOperand &memory) {
  if ((memory.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) return false;
  if (now.head.meta.category == ZYDIS_CATEGORY_STRINGOP) return true;
  const ZydisDecodedOperand &source = now.operands[1];
  if (source.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return source.imm.value.u == 0;
  const int bit = zero_bit(source);
  return bit >= 0 && (state.zeroes >> bit & 1U) != 0;
}

// Whether the pointer itself goes into memory, or a register that is not followed.
inline bool reads_and_keeps(const WalkState &state, const Instruction &now) {
  bool reads = false, keeps = false;
  for (unsigned i = 0; i < now.head.operand_count; ++i) {
    const ZydisDecodedOperand &operand = now.operands[i];
    const bool writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    const bool in_memory = operand.type == ZYDIS_OPERAND_TYPE_MEMORY;
    const bool in_register = operand.type == ZYDIS_OPERAND_TYPE_REGISTER;
    if (in_register && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0)
      reads |= holder_in(state, operand).holds;
    if (writes) keeps |= in_memory || (in_register && zero_bit(operand) >= 16);
  }
  return reads && keeps && now.head.meta.category != ZYDIS_CATEGORY_STRINGOP;
}

} // namespace abut::context
#endif
