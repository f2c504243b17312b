// The objects whose code stands in the chain table, so that the table notices when one of them is gone.
#pragma once

#include "context/loaded_code.hpp"

namespace abut::context {

class ModuleList {
public:
  // Remembers the object around `code`; false where there is none, or no room.
  bool add(Address code);

  // Whether `code` lies in one of them.
  bool holds(Address code) const;

  // Forgets the objects that are no longer loaded, and calls `gone(CodeRange)` for each.
  template <class Gone>
  void drop_unloaded(Gone gone) {
    for (unsigned i = 0; i < count_;) {
      if (still_loaded(modules_[i])) {
        ++i;
        continue;
      }
      gone(modules_[i].range);
      modules_[i] = modules_[--count_];
    }
  }

private:
  struct Module {
    CodeRange range;
    const void *identity = nullptr;
  };
  static constexpr unsigned kMost = 512;

  static bool still_loaded(const Module &module);

  unsigned count_ = 0;
  Module modules_[kMost];
};

} // namespace abut::context
