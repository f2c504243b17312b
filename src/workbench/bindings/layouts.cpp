#include "bindings/layouts.hpp"

#include "bindings/failure.hpp"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <vector>

namespace abut::bindings {
namespace {

template <typename Number>
std::vector<Number> numbers_of(const nb::object &array) {
  return vector_of(nb::cast<Input<Number>>(array));
}

} // namespace

std::unique_ptr<sim::Layout> layout_of(trace::Reader &reader, const nb::object &layout,
                                       uint64_t seed) {
  if (nb::isinstance<nb::tuple>(layout))
    return sim::make_layout(numbers_of<uint64_t>(layout[0]),
                            {numbers_of<uint64_t>(layout[1]), numbers_of<int32_t>(layout[2])});
  if (!nb::isinstance<nb::str>(layout)) return sim::make_layout(numbers_of<uint64_t>(layout));
  const auto name = nb::cast<std::string>(layout);
  const std::optional<sim::LayoutName> known = sim::layout_named(name);
  if (!known)
    throw TraceFailure(
        {"layout '" + name + "'", "not known", "choose of recorded, line, random, size"});
  const nb::gil_scoped_release others_may_run;
  return sim::make_layout(*known, seed, reader);
}

} // namespace abut::bindings
