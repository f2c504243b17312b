#include "context/wrapper_walk.hpp"

#include "context/callee.hpp"
#include "context/decoder.hpp"
#include "context/loaded_code.hpp"
#include "context/walk_operands.hpp"

#include <algorithm>
#include <new>

namespace abut::context {

#ifdef ABUT_HAVE_ZYDIS
namespace {

constexpr unsigned kMostInstructions = 128;
constexpr unsigned kMostPaths = 16;
constexpr unsigned kMostSeen = 32;
constexpr int kCallerSaved[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
constexpr int kArguments[] = {7, 6, 2, 1, 8, 9};

class Walk {
public:
  Walk(const Procedure &procedure) : procedure_(procedure) {}

  WalkEnd run(Address from) {
    WalkState start;
    start.at = from;
    start.rbp_frame = procedure_.rule.form == FrameRule::Form::from_rbp;
    start.set_register(WalkState::kRax, {true, 0});
    push(start);
    while (paths_ > 0 && !over_) follow(waiting_[--paths_]);
    if (over_) return end_;
    if (!returned_) return WalkEnd::kept;
    return used_to_ > returned_at_ ? WalkEnd::used : WalkEnd::wrapper;
  }

private:
  using Operand = ZydisDecodedOperand;

  void stop(WalkEnd end) {
    if (!over_) end_ = end;
    over_ = true;
  }

  void push(const WalkState &state) {
    for (unsigned i = 0; i < seen_count_; ++i)
      if (seen_[i] == state) return;
    if (paths_ == kMostPaths || seen_count_ == kMostSeen) return stop(WalkEnd::too_long);
    seen_[seen_count_++] = waiting_[paths_++] = state;
  }

  void follow(WalkState state) {
    while (!over_ && state.anywhere() && procedure_.code.holds(state.at)) {
      if (++instructions_ > kMostInstructions) return stop(WalkEnd::too_long);
      const size_t most = std::min<size_t>(15, procedure_.code.end - state.at);
      if (!decode(state.at, most, now_)) return stop(WalkEnd::unknown);
      state.at += now_.head.length;
      look_at_memory(state);
      if (over_ || !execute(state)) return;
    }
  }

  // What is done to the block itself.
  void look_at_memory(const WalkState &state) {
    const bool address_only =
        now_.head.mnemonic == ZYDIS_MNEMONIC_LEA || now_.head.mnemonic == ZYDIS_MNEMONIC_NOP;
    for (unsigned i = 0; i < now_.head.operand_count && !address_only; ++i) {
      const Operand &operand = now_.operands[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
      const Holder base = state.in_register(general_register(operand.mem.base));
      const Holder index = state.in_register(general_register(operand.mem.index));
      if ((!base.holds && !index.holds) || clears(state, now_, operand)) continue;
      const bool plain =
          base.holds && operand.mem.index == ZYDIS_REGISTER_NONE && base.moved != Holder::kUnknown;
      if (!plain) return stop(WalkEnd::used);
      used_to_ = std::max(used_to_, base.moved + operand.mem.disp.value + operand.size / 8);
    }
  }

  // False where the path ends.
  bool execute(WalkState &state) {
    const auto *flags = now_.head.cpu_flags;
    const bool knew_null = state.zero_means_null;
    const bool writes_flags =
        flags != nullptr && ((flags->modified | flags->set_0 | flags->set_1 | flags->undefined) &
                             ZYDIS_CPUFLAG_ZF) != 0;
    if (writes_flags) state.zero_means_null = false;
    const auto category = now_.head.meta.category;
    if (category == ZYDIS_CATEGORY_COND_BR) return branch(state, knew_null);
    if (category == ZYDIS_CATEGORY_UNCOND_BR) return jump(state);
    switch (now_.head.mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_ENDBR64: return true;
    case ZYDIS_MNEMONIC_RET: return returns(state.in_register(WalkState::kRax));
    case ZYDIS_MNEMONIC_CALL: return call(state), true;
    case ZYDIS_MNEMONIC_MOV: return move(state), true;
    case ZYDIS_MNEMONIC_LEA: return load_address(state), true;
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP: return push_or_pop(state), true;
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_CMP: return compare(state), true;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND: return calculate(state), true;
    default: return anything_else(state), true;
    }
  }

  bool returns(Holder holder) {
    if (!holder.holds) return false;
    if (holder.moved == Holder::kUnknown)
      returned_at_ = std::min<int64_t>(returned_at_, 0);
    else
      returned_at_ = returned_ ? std::min(returned_at_, holder.moved) : holder.moved;
    returned_ = true;
    return false;
  }

  bool branch(WalkState &state, bool knew_null) {
    if (!now_.operands[0].imm.is_relative) return stop(WalkEnd::unknown), false;
    const bool equal = now_.head.mnemonic == ZYDIS_MNEMONIC_JZ;
    const bool unequal = now_.head.mnemonic == ZYDIS_MNEMONIC_JNZ;
    WalkState taken = state;
    taken.at += now_.operands[0].imm.value.u;
    if (!(knew_null && equal)) push(taken);
    return !(knew_null && unequal);
  }

  bool jump(WalkState &state) {
    const Operand &target = now_.operands[0];
    if (target.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      const Address to = state.at + target.imm.value.u;
      if (procedure_.code.holds(to)) {
        state.at = to;
        push(state);
        return false;
      }
    }
    call(state); // a tail call
    return !over_ && returns(state.in_register(WalkState::kRax));
  }

  void call(WalkState &state) {
    const Holder first = state.in_register(WalkState::kRdi);
    bool handed_on = false;
    for (int number : kArguments) handed_on |= state.in_register(number).holds;
    Holder result;
    if (handed_on) {
      const bool others = state.in_register(WalkState::kRsi).holds || state.in_register(2).holds;
      if (!first.holds || others || !fills_memory(now_, state.at)) return stop(WalkEnd::handed_on);
      result = first;
    }
    for (int number : kCallerSaved) state.set_register(number, {});
    state.zeroes = 0;
    state.set_register(WalkState::kRax, result);
  }

  void move(WalkState &state) {
    const Operand &to = now_.operands[0], &from = now_.operands[1];
    const Holder holder = holder_in(state, from);
    int64_t place = 0;
    if (to.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      const int number = general_register(to.reg.value);
      state.set_register(number, holder);
      if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && from.imm.value.u == 0 && number >= 0)
        state.zeroes |= 1U << number;
    } else if (slot(state, to, place)) {
      if (!state.set_slot(place, holder)) stop(WalkEnd::unknown);
    } else if (holder.holds) {
      stop(WalkEnd::stored);
    }
  }

  void load_address(WalkState &state) {
    const auto &memory = now_.operands[1].mem;
    const int to = general_register(now_.operands[0].reg.value);
    Holder holder = state.in_register(general_register(memory.base));
    const Holder index = state.in_register(general_register(memory.index));
    if (to == WalkState::kRsp) {
      if (memory.base == ZYDIS_REGISTER_RSP) state.stack += memory.disp.value;
      return;
    }
    if (index.holds || (holder.holds && memory.index != ZYDIS_REGISTER_NONE))
      holder = {true, Holder::kUnknown};
    else if (holder.holds && holder.moved != Holder::kUnknown)
      holder.moved += memory.disp.value;
    state.set_register(to, holder);
  }

  void push_or_pop(WalkState &state) {
    const bool pushes = now_.head.mnemonic == ZYDIS_MNEMONIC_PUSH;
    const Operand &operand = now_.operands[0];
    if (pushes) {
      const Holder holder = holder_in(state, operand);
      state.stack -= 8;
      if (!state.set_slot(state.stack, holder)) stop(WalkEnd::unknown);
      return;
    }
    const Holder holder = state.in_slot(state.stack);
    state.set_slot(state.stack, {});
    state.stack += 8;
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER)
      state.set_register(general_register(operand.reg.value), holder);
  }

  void compare(WalkState &state) {
    const Operand &left = now_.operands[0], &right = now_.operands[1];
    const bool with_zero = right.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && right.imm.value.u == 0;
    const bool with_itself = left.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                             right.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                             left.reg.value == right.reg.value;
    const bool tests = now_.head.mnemonic == ZYDIS_MNEMONIC_TEST ? with_itself : with_zero;
    state.zero_means_null =
        tests && holder_in(state, left).holds && holder_in(state, left).moved == 0;
  }

  void calculate(WalkState &state) {
    const Operand &to = now_.operands[0], &by = now_.operands[1];
    const bool subtracts = now_.head.mnemonic == ZYDIS_MNEMONIC_SUB;
    const bool constant =
        by.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && now_.head.mnemonic != ZYDIS_MNEMONIC_AND;
    const int64_t amount = constant ? (subtracts ? -by.imm.value.s : by.imm.value.s) : 0;
    if (to.type != ZYDIS_OPERAND_TYPE_REGISTER) return anything_else(state);
    const int number = general_register(to.reg.value);
    if (number == WalkState::kRsp) {
      state.stack += amount;
      return;
    }
    Holder holder = holder_in(state, to);
    const Holder other = holder_in(state, by);
    if (holder.holds && other.holds)
      holder = {}; // a difference
    else if (other.holds && !subtracts)
      holder = {true, Holder::kUnknown};
    else if (holder.holds && holder.moved != Holder::kUnknown)
      holder.moved = constant ? holder.moved + amount : Holder::kUnknown;
    state.set_register(number, holder);
  }

  // Instructions without a meaning of their own here: what they write no longer holds the pointer.
  void anything_else(WalkState &state) {
    const auto mnemonic = now_.head.mnemonic;
    const bool zeroing = (mnemonic == ZYDIS_MNEMONIC_XOR || mnemonic == ZYDIS_MNEMONIC_PXOR ||
                          mnemonic == ZYDIS_MNEMONIC_XORPS) &&
                         zero_bit(now_.operands[0]) >= 0 &&
                         now_.operands[0].reg.value == now_.operands[1].reg.value;
    if (!zeroing && reads_and_keeps(state, now_)) return stop(WalkEnd::stored);
    if (now_.head.meta.category == ZYDIS_CATEGORY_CMOV) return; // may hold it as before
    for (unsigned i = 0; i < now_.head.operand_count; ++i) {
      const Operand &operand = now_.operands[i];
      int64_t place = 0;
      if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0) continue;
      if (slot(state, operand, place)) state.set_slot(place, {});
      const int bit = zero_bit(operand);
      if (bit < 0) continue;
      if (bit < 16 && !(now_.head.meta.category == ZYDIS_CATEGORY_STRINGOP && bit == 0))
        state.set_register(bit, {});
      else if (bit >= 16)
        state.zeroes &= ~(1U << bit);
    }
    if (zeroing) state.zeroes |= 1U << zero_bit(now_.operands[0]);
  }

  const Procedure &procedure_;
  Instruction now_;
  WalkState waiting_[kMostPaths], seen_[kMostSeen];
  unsigned paths_ = 0, seen_count_ = 0, instructions_ = 0;
  int64_t used_to_ = INT64_MIN, returned_at_ = 0;
  bool returned_ = false, over_ = false;
  WalkEnd end_ = WalkEnd::unknown;
};

// A thread may have little stack, so the walk has its room elsewhere.
alignas(Walk) char room[sizeof(Walk)];

} // namespace

WalkEnd walk_wrapper(Address return_address, const Procedure &procedure) {
  if (why_no_decoder() != nullptr) return WalkEnd::no_decoder;
  const CodeRange segment =
      segment_around(object_around(return_address - 1), return_address - 1, true);
  if (!segment.holds(procedure.code.begin) || !segment.holds(procedure.code.end - 1))
    return WalkEnd::unknown;
  return (new (room) Walk(procedure))->run(return_address);
}
#else
WalkEnd walk_wrapper(Address, const Procedure &) { return WalkEnd::no_decoder; }
#endif

} // namespace abut::context
