// Freed blocks that wait, the oldest of which leave when there is too much of them.
#pragma once

#include "probes/checked/records.hpp"

namespace abut::checked {

void hold(Record *record);

// All that is held goes back to the heap: for when there is no other memory. False where nothing was held.
bool release_all_held();

// The first byte of a held block that was written to, or zero.
Address written_to(const Record &record);

// Ends the process where a held block was written to.
void look_at_held(const char *call, const Record &record);

// Back to the heap, and forgotten: blocks.cpp.
void give_back(Record *record);

} // namespace abut::checked
