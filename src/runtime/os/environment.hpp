// Settings from outside, before anything of the process is set up.
#pragma once

#include <cstddef>

namespace abut::os {

// Copies the value of the environment variable `name` into `text`, cut off at `bytes` with its final zero; false
// where it is not set or not heeded. Works before the C library has seen the environment.
bool environment_value(const char *name, char *text, size_t bytes);

// The same as it was when the process began, whatever the program has set since.
bool first_environment_value(const char *name, char *text, size_t bytes);

} // namespace abut::os
