// Pages that no access may touch, and what happens at an access that does.
#pragma once

#include "base/units.hpp"

namespace abut::os {

// Multiples of a page; false where the system refuses, as it does where a process has too many mappings.
bool forbid_access(Address begin, size_t bytes);
bool allow_access(Address begin, size_t bytes);

// Calls `explain` at a fault, with the address that was accessed and that of the code; then the fault is the program's, as
// without this. A handler of the program's own comes in its place.
void call_at_fault(void (*explain)(Address address, Address code));

// What a program writes to its standard output, without the middle where that is more than `most` bytes; none where it cannot be
// started or fails.
size_t output_of(const char *const *arguments, char *text, size_t most);

} // namespace abut::os
