// The row of a call frame table that holds at one instruction: where the caller's frame is, as DWARF tells it.
#pragma once

#include "context/cfi_reader.hpp"

namespace abut::context {

// The numbers that DWARF gives the registers that matter here.
inline constexpr uint64_t kDwarfRbp = 6;
inline constexpr uint64_t kDwarfRsp = 7;
inline constexpr uint64_t kDwarfReturnAddress = 16;

struct CfiRow {
  enum class Saved : uint8_t { same, at_cfa, at_rbp, undefined, elsewhere };
  struct Register {
    Saved how = Saved::same;
    int64_t offset = 0;
  };

  uint64_t cfa_register = kDwarfRsp;
  int64_t cfa_offset = 8;
  bool cfa_expression = false; // the CFA lies at [rbp + cfa_offset]
  bool cfa_unknown = false;    // an expression of any other form
  Register rbp, return_address;
};

struct CfiFactors {
  uint64_t code = 1;
  int64_t data = 1;
  uint8_t pointer_encoding = 0;
};

// Runs `program` from code address `from` until past `to`, starting at `row`, whose first state is `initial`.
// False where an instruction is malformed or unknown.
bool run_cfi_program(CfiReader program, const CfiFactors &factors, Address from, Address to,
                     const CfiRow &initial, CfiRow &row);

} // namespace abut::context
