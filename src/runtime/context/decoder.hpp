// The decoder of machine code, Zydis, which is mapped when the library starts, made ready when it is first wanted, and
// never linked: a program under the heap must start where it is not installed, too, and short ones never want it.
#pragma once

#include "base/units.hpp"
#include "os/os.hpp"

#ifdef ABUT_ZYDIS
#include <Zydis/Zydis.h>
#endif

namespace abut::context {

// Maps it: at the start of a program.
void map_decoder();

// Null once machine code can be decoded, else why it cannot. The first call makes the decoder ready.
const char *prepare_decoder();

// Held meanwhile; a fork waits for it.
os::SpinLock &decoder_lock();

// Its code and tables leave the resident size until they are wanted again.
void rest_decoder();

#ifdef ABUT_ZYDIS
struct Instruction {
  ZydisDecodedInstruction head;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

// The instruction at `at`, of at most `most` bytes; false where there is none. After prepare_decoder(), as the next.
bool decode(Address at, size_t most, Instruction &instruction);

// The number of the general register that `name` is a part of, or -1.
int general_register(ZydisRegister name);
#endif

} // namespace abut::context
