// Layouts that a part of the native module adds which is left out of some builds: it registers what makes them.
#pragma once

#include "sim/layouts/layout.hpp"

#include <memory>
#include <string_view>

namespace abut::bindings {

// The layout of that name; null where there is none.
using LayoutMaker = std::unique_ptr<sim::Layout> (*)(std::string_view name);

// Called once, while the module is loaded. Returns true, so that it can initialise a variable.
bool register_layouts(LayoutMaker maker);

// Null where nothing is registered that knows the name.
std::unique_ptr<sim::Layout> registered_layout(std::string_view name);

} // namespace abut::bindings
