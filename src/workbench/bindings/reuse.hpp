// Reuse distances, exact and sampled, from Python.
#pragma once

#include <nanobind/nanobind.h>

namespace abut::bindings {

void add_reuse(nanobind::module_ &m);

} // namespace abut::bindings
