#include "bindings/layouts.hpp"

#include "bindings/failure.hpp"
#include "bindings/more_layouts.hpp"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>

namespace abut::bindings {

std::unique_ptr<sim::Layout> layout_of(trace::Reader &reader, const nb::object &layout,
                                       uint64_t seed) {
  using Addresses = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  if (!nb::isinstance<nb::str>(layout)) {
    const auto addresses = nb::cast<Addresses>(layout);
    return sim::make_layout({addresses.data(), addresses.data() + addresses.size()});
  }
  const auto name = nb::cast<std::string>(layout);
  const std::optional<sim::LayoutName> known = sim::layout_named(name);
  if (!known) {
    if (std::unique_ptr<sim::Layout> made = registered_layout(name)) return made;
    throw TraceFailure(
        {"layout '" + name + "'", "not known",
         "choose of recorded, line, random, size, or a heap that is composed of parts"});
  }
  const nb::gil_scoped_release others_may_run;
  return sim::make_layout(*known, seed, reader);
}

} // namespace abut::bindings
