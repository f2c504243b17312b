// The parts of the native module, a file each: every function adds its classes and functions to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace abut::bindings {

// How long this machine takes.
void add_calibrate(nanobind::module_ &m);
// Text of other tools, turned into traces.
void add_imports(nanobind::module_ &m);
// Pages in use, and what memories of any size would do with them.
void add_pages(nanobind::module_ &m);
// Relations of objects, orders and packings, for strategies.
void add_place(nanobind::module_ &m);
// What reports are made of.
void add_report(nanobind::module_ &m);
// Reuse distances, exact and sampled.
void add_reuse(nanobind::module_ &m);
// The simulators: each by itself on numpy arrays, and all of them fed by a trace.
void add_sim(nanobind::module_ &m);
// How long a core takes.
void add_time(nanobind::module_ &m);
// Traces as text.
void add_text(nanobind::module_ &m);
// Writing traces, for tools that have recorded something elsewhere, and for tests.
void add_writer(nanobind::module_ &m);

} // namespace abut::bindings
