// What a trace says of its objects' relations, and orders and packings of objects, for strategies in Python.
#pragma once

#include <nanobind/nanobind.h>

namespace abut::bindings {

void add_place(nanobind::module_ &m);

} // namespace abut::bindings
