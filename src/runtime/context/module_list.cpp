#include "context/module_list.hpp"

namespace abut::context {

bool ModuleList::holds(Address code) const {
  for (unsigned i = 0; i < count_; ++i)
    if (modules_[i].range.holds(code)) return true;
  return false;
}

bool ModuleList::add(Address code) {
  if (holds(code)) return true;
  const LoadedObject object = object_around(code);
  if (!object || count_ == kMost) return false;
  modules_[count_++] = {object.range, object.identity};
  return true;
}

bool ModuleList::still_loaded(const Module &module) {
  const LoadedObject now = object_around(module.range.begin);
  return now.identity == module.identity && now.range.begin == module.range.begin &&
         now.range.end == module.range.end;
}

} // namespace abut::context
