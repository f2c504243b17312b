#include "bindings/parts.hpp"

#include "bindings/failure.hpp"
#include "calibrate/kernels.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace abut::bindings {
namespace {

calibrate::Order order_of(const std::string &name) {
  if (name == "random") return calibrate::Order::random;
  if (name == "ascending") return calibrate::Order::ascending;
  if (name == "runs") return calibrate::Order::runs;
  if (name == "rotated") return calibrate::Order::rotated;
  throw TraceFailure({name, "is no order", ""});
}

double chase(size_t lines, double gigahertz, size_t line_step, const std::string &order,
             unsigned chains, bool huge_pages, bool evicted) {
  if (lines == 0 || line_step < sizeof(void *) || chains == 0 || chains > calibrate::kMostChains)
    throw TraceFailure({"lines, line_step or chains", "is out of range", ""});
  const calibrate::Chase asked{lines, line_step, order_of(order), chains, huge_pages, evicted};
  const nb::gil_scoped_release others_may_run;
  return calibrate::cycles_of(asked, gigahertz);
}

} // namespace

void add_calibrate(nb::module_ &m) {
  using namespace nb::literals;
  m.def("gigahertz", &calibrate::gigahertz);
  m.def("chase", &chase, "lines"_a, "gigahertz"_a, "line_step"_a = 64, "order"_a = "random",
        "chains"_a = 1, "huge_pages"_a = false, "evicted"_a = false);
  m.def("read_cycles", &calibrate::cycles_of_reading, "bytes"_a, "gigahertz"_a);
}

} // namespace abut::bindings
