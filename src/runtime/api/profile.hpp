// A profile is followed from the start of the program on.
#pragma once

#include "base/options.hpp"

#include <string_view>

namespace abut::entry {

// Why an option could not be set, in words that hold until the next call; null where there is nothing to say of the name,
// which may be the command line's.
const char *reason(SetOption result, std::string_view option);

// Sets the options that the profile in the file `path` has. What is wrong with it is said, and it has no effect then.
void follow_profile(const char *path);

// Finds the contexts that it assigned to pools, and says if there are none. After all options are read.
void find_contexts(const char *path);

} // namespace abut::entry
