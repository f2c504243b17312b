// Traces from other tools' text, from Python.
#pragma once

#include <nanobind/nanobind.h>

namespace abut::bindings {

void add_imports(nanobind::module_ &m);

} // namespace abut::bindings
