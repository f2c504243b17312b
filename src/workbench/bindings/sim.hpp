// The simulators for Python: each by itself on numpy arrays, and all of them fed by a trace.
#pragma once

#include <nanobind/nanobind.h>

namespace abut::bindings {

void add_sim(nanobind::module_ &m);

} // namespace abut::bindings
