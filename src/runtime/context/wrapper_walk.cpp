#include "context/wrapper_walk.hpp"

#include "context/callee.hpp"
#include "context/decoder.hpp"
#include "context/loaded_code.hpp"
#include "context/walk_steps.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace abut::context {

#ifdef ABUT_ZYDIS
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
    start.rbp_frame = procedure_.rule.form == FrameRule::Form::from_rbp;
    const WalkEnd end = run(from, start);
    if (end != WalkEnd::stored || !may_be_given_ || !find_parameters(from, start)) return end;
    return run(from, start);
  }

private:
  using Operand = ZydisDecodedOperand;

  WalkEnd run(Address from, WalkState start) {
    start.at = from;
    start.set_register(WalkState::kRax, {.holds = true});
    follow_all(start);
    if (over_) return end_;
    if ((given_ & structures_) != 0) return WalkEnd::stored;
    if (!returned_) return WalkEnd::kept;
    if (used_to_ > returned_at_) return WalkEnd::used;
    return given_ != 0 ? WalkEnd::gives_back : WalkEnd::wrapper;
  }

  // Where the procedure has its parameters when the call returns; false where no path leads there.
  bool find_parameters(Address return_address, WalkState &start) {
    const FrameRule entry = find_procedure(procedure_.code.begin + 1).rule;
    if (entry.form != FrameRule::Form::from_rsp || entry.cfa_offset != int32_t{sizeof(Address)})
      return false; // a part that the procedure jumps to
    start.at = procedure_.code.begin;
    for (unsigned i = 0; i < std::size(kArguments); ++i)
      start.set_register(kArguments[i], {.parameter = static_cast<uint8_t>(i + 1)});
    wanted_ = return_address;
    follow_all(start);
    const bool found = over_ && wanted_ == 0;
    wanted_ = 0;
    if (found) start = there_;
    return found;
  }

  void follow_all(const WalkState &start) {
    paths_ = seen_count_ = instructions_ = 0;
    over_ = false;
    push(start);
    while (paths_ > 0 && !over_) follow(waiting_[--paths_]);
  }

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
    while (!over_ && (wanted_ != 0 || state.anywhere()) && procedure_.code.holds(state.at)) {
      if (state.at == wanted_) {
        there_ = state;
        wanted_ = 0;
        return stop(WalkEnd::unknown);
      }
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
      if (base.parameter != 0 && !is_through(base, operand)) structures_ |= 1U << base.parameter;
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
    case ZYDIS_MNEMONIC_LEA: return load_address(state, now_), true;
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP: return push_or_pop(state), true;
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_CMP: return compare(state, now_), true;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND:
      if (!calculate(state, now_)) anything_else(state);
      return true;
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
    Holder holder = holder_in(state, from);
    if (const unsigned parameter = parameter_through(state, from);
        parameter != 0 && parameter == state.given)
      holder = {.holds = true};
    int64_t place = 0;
    if (to.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      const int number = general_register(to.reg.value);
      state.set_register(number, holder);
      if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && from.imm.value.u == 0 && number >= 0)
        state.zeroes |= 1U << number;
    } else if (slot(state, to, place)) {
      if (!state.set_slot(place, holder)) stop(WalkEnd::unknown);
    } else if (holder.holds) {
      const unsigned parameter = parameter_through(state, to);
      if (parameter == 0 || holder.moved != 0) {
        may_be_given_ = may_be_through_parameter(to);
        return stop(WalkEnd::stored);
      }
      state.given = static_cast<uint8_t>(parameter);
      given_ |= 1U << parameter;
      returns(holder);
    }
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
  unsigned given_ = 0,
           structures_ = 0; // parameters: that the pointer was given through; and otherwise used
  Address wanted_ = 0;      // where the parameters are looked for
  WalkState there_;
  bool returned_ = false, over_ = false;
  bool may_be_given_ = false; // by a store that the walk ended at
  WalkEnd end_ = WalkEnd::unknown;
};

// A thread may have little stack, so the walk has its room elsewhere.
alignas(Walk) char room[sizeof(Walk)];

} // namespace

WalkEnd walk_wrapper(Address return_address, const Procedure &procedure) {
  if (prepare_decoder() != nullptr) return WalkEnd::no_decoder;
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
