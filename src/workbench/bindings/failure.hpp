// What is wrong with a file, as a C++ exception that Python sees as one of three strings.
#pragma once

#include "trace/result.hpp"

#include <exception>
#include <utility>

namespace abut::bindings {

struct TraceFailure : std::exception {
  explicit TraceFailure(trace::Error failure) : error(std::move(failure)) {}
  trace::Error error;
};

} // namespace abut::bindings
