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

template <typename T>
T value_of(trace::Result<T> result) {
  if (!result) throw TraceFailure(result.error());
  return result.take();
}

} // namespace abut::bindings
