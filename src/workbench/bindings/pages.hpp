// Pages from Python: which are in use, and what memories of every size would do with them.
#pragma once

#include <nanobind/nanobind.h>

namespace abut::bindings {

void add_pages(nanobind::module_ &m);

} // namespace abut::bindings
