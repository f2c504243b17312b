// What reports are made of, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace abut::bindings {

void add_report(nanobind::module_ &m);

} // namespace abut::bindings
