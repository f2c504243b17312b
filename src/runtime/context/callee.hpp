// Whether a call reaches one of the functions that fill a block and return it: memset, memcpy, memmove.
#pragma once

#include "context/decoder.hpp"

#ifdef ABUT_ZYDIS
namespace abut::context {

// `branch` is a call or a jump that ends at `after`; through a procedure linkage table or a global offset table, too.
bool fills_memory(const Instruction &branch, Address after);

} // namespace abut::context
#endif
