// What is said of a fault: the call, the block, and who allocated and freed it.
#pragma once

#include "probes/checked/records.hpp"

namespace abut::checked {

// `abut: CALL(0x…): FAULT`, and what is known of the block.
void report(const char *call, Address at, const char *fault, const Record *record);
void report_callers(const char *title, const Callers &callers);

} // namespace abut::checked
