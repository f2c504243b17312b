// The plug-in of the tests, loaded as long as this lives.
#pragma once

#include "support/child.hpp"

#include <dlfcn.h>

namespace stress {

class Plugin {
public:
  explicit Plugin(int mode = RTLD_NOW) : handle_(dlopen(STRESS_PLUGIN, mode)) {
    support::require(handle_ != nullptr, "the plug-in loads");
  }
  Plugin(const Plugin &) = delete;
  Plugin &operator=(const Plugin &) = delete;
  ~Plugin() { dlclose(handle_); }

  template <typename Function>
  Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(handle_, name));
  }

private:
  void *handle_;
};

} // namespace stress
