// Blocks of the ordinary heap with something around them that a stray write changes.
//
//   front canary │ the program's bytes │ canary │ guard page, behind large ones
//
// With quarantine, what is freed is filled and held, and looked at once more before the heap has it back.
#pragma once

#include "probes/checked/records.hpp"

namespace abut::checked {

// Null where memory is exhausted; errno is left alone. `align` is a power of two.
void *allocate(size_t align, size_t bytes, context::Frame frame);
void *allocate_zeroed(size_t bytes, context::Frame frame);

// `call` names the entry point in messages. They end the process at a fault.
void release(const char *call, void *memory, context::Frame frame);
void *resize(const char *call, void *memory, size_t bytes, context::Frame frame);
size_t usable_size(const char *call, void *memory, context::Frame frame);

// Looks at all blocks; ends the process with what is wrong.
void look_at_all();

// Says what is known of an address that the instruction at `code` could not access.
void explain_fault(Address address, Address code);

} // namespace abut::checked
