// Settings of caches out of what Python says.
#pragma once

#include "sim/settings.hpp"

#include <nanobind/nanobind.h>
#include <string>

namespace abut::bindings {

namespace nb = nanobind;

// A dictionary with the names of LevelSettings' members. Throws TraceFailure where something is not known.
sim::LevelSettings settings_of(const nb::dict &level);
sim::Serves side_named(const std::string &name);

} // namespace abut::bindings
