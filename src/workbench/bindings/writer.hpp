// Writing traces from Python: for tools that have recorded something elsewhere, and for tests.
#pragma once

#include <nanobind/nanobind.h>

namespace abut::bindings {

void add_writer(nanobind::module_ &m);

} // namespace abut::bindings
