// The decoder of machine code, Zydis, which is loaded when the library starts and not linked: a program under the
// heap must start where it is not installed, too.
#pragma once

#include "base/units.hpp"

#ifdef ABUT_ZYDIS
#include <Zydis/Zydis.h>
#endif

namespace abut::context {

// Loads it; null when that worked, else why not. It allocates: for a constructor, and once.
const char *load_decoder();

// Null while machine code can be decoded, else why it cannot.
const char *why_no_decoder();

// Its code and tables leave the resident size until they are wanted again.
void rest_decoder();

#ifdef ABUT_ZYDIS
struct Instruction {
  ZydisDecodedInstruction head;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

// The instruction at `at`, of at most `most` bytes; false where there is none.
bool decode(Address at, size_t most, Instruction &instruction);

// The number of the general register that `name` is a part of, or -1.
int general_register(ZydisRegister name);
#endif

} // namespace abut::context
