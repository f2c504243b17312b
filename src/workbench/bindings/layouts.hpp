// Layouts as Python names them: by a word, by the name of an allocator, as an array of addresses, or as a tuple of
// addresses, of second parts, and of where each byte goes (see `Rearrangement`).
#pragma once

#include "bindings/arrays.hpp"
#include "sim/layouts/layout.hpp"
#include "trace/reader.hpp"

#include <cstdint>
#include <memory>

namespace abut::bindings {

// Throws TraceFailure for an unknown name. Object i + 1 lies at element i of an array.
std::unique_ptr<sim::Layout> layout_of(trace::Reader &reader, const nb::object &layout,
                                       uint64_t seed);

} // namespace abut::bindings
