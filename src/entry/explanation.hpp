// What the heap did beyond handing out blocks, in words, for a person who wants to know why.
#pragma once

namespace abut::entry {

// To standard error: which contexts' objects were put beside their friends, how they were found, and which were not.
void explain_friends();

// The same of the plan that was followed, if any.
void explain_plan();

} // namespace abut::entry
