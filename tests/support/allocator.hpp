// Which allocator serves this process, and entry points that not every one of them has.
#pragma once

#include <dlfcn.h>

namespace support {

[[nodiscard]] inline bool runs_under_abut() {
  return dlsym(RTLD_DEFAULT, "abut_version") != nullptr;
}

// The function of that name as the dynamic linker resolves it for this program, or null.
template <typename Function>
[[nodiscard]] Function *find_function(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

} // namespace support
