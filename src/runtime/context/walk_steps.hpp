// What instructions do that only move a pointer about.
#pragma once

#include "context/walk_operands.hpp"

#ifdef ABUT_ZYDIS
namespace abut::context {

inline void load_address(WalkState &state, const Instruction &now) {
  const auto &memory = now.operands[1].mem;
  const int to = general_register(now.operands[0].reg.value);
  Holder holder = state.in_register(general_register(memory.base));
  const bool indexed = memory.index != ZYDIS_REGISTER_NONE;
  if (to == WalkState::kRsp) {
    if (memory.base == ZYDIS_REGISTER_RSP) state.stack += memory.disp.value;
    return;
  }
  if (holder.holds || state.in_register(general_register(memory.index)).holds)
    holder = indexed ? Holder{.holds = true, .moved = Holder::kUnknown} : holder;
  else if (indexed)
    holder = {};
  if (holder.any() && holder.moved != Holder::kUnknown) holder.moved += memory.disp.value;
  state.set_register(to, holder);
}

inline void compare(WalkState &state, const Instruction &now) {
  const ZydisDecodedOperand &left = now.operands[0], &right = now.operands[1];
  const bool with_zero = right.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && right.imm.value.u == 0;
  const bool with_itself = left.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                           right.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                           left.reg.value == right.reg.value;
  const bool tests = now.head.mnemonic == ZYDIS_MNEMONIC_TEST ? with_itself : with_zero;
  const Holder holder = holder_in(state, left);
  state.zero_means_null = tests && holder.holds && holder.moved == 0;
}

// add, sub, and; false where it is nothing that moves a pointer in a register.
inline bool calculate(WalkState &state, const Instruction &now) {
  const ZydisDecodedOperand &to = now.operands[0], &by = now.operands[1];
  const bool subtracts = now.head.mnemonic == ZYDIS_MNEMONIC_SUB;
  const bool constant =
      by.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && now.head.mnemonic != ZYDIS_MNEMONIC_AND;
  const int64_t amount = constant ? (subtracts ? -by.imm.value.s : by.imm.value.s) : 0;
  if (to.type != ZYDIS_OPERAND_TYPE_REGISTER) return false;
  const int number = general_register(to.reg.value);
  if (number == WalkState::kRsp) {
    state.stack += amount;
    return true;
  }
  Holder holder = holder_in(state, to);
  const Holder other = holder_in(state, by);
  if (holder.holds && other.holds)
    holder = {}; // a difference
  else if (other.holds && !subtracts)
    holder = {.holds = true, .moved = Holder::kUnknown};
  else if (holder.any() && holder.moved != Holder::kUnknown)
    holder.moved = constant ? holder.moved + amount : Holder::kUnknown;
  state.set_register(number, holder);
  return true;
}

} // namespace abut::context
#endif
