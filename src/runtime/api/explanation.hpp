// What the heap did beyond handing out blocks, and why, for a person.
#pragma once

namespace abut::entry {

// To standard error, in words: which contexts' objects were put beside their friends, how they were found, and which
// were not; which groups have a pool, which share one, and why.
void explain();

// The same as JSON into the file that the option names, if any.
void write_explanation_file();

// The same of the plan that was followed, if any.
void explain_plan();

// What to type to find out whether other settings do better.
void suggest_tuning();

} // namespace abut::entry
