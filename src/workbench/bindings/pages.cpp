#include "bindings/parts.hpp"

#include "bindings/arrays.hpp"
#include "bindings/blocks.hpp"
#include "bindings/layouts.hpp"
#include "sim/pages/page_curve.hpp"
#include "sim/pages/page_model.hpp"
#include "sim/pages/trace_pages.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include <memory>
#include <string_view>

namespace abut::bindings {
namespace {

using sim::PageModel;

PageModel *open_model(uint32_t exact_from, size_t most_steps) {
  if (exact_from == 0 || most_steps < 1024)
    throw nb::value_error("memories have a page at least, and a trace some thousand steps");
  return new PageModel({exact_from, most_steps});
}

void add_trace(PageModel &model, const std::shared_ptr<trace::Reader> &reader,
               const nb::object &layout, uint64_t seed) {
  const bool recorded =
      nb::isinstance<nb::str>(layout) && nb::cast<std::string_view>(layout) == "recorded";
  const std::unique_ptr<sim::Layout> places = layout_of(*reader, layout, seed);
  const nb::gil_scoped_release others_may_run;
  sim::read_pages(*reader, *places, recorded ? sim::Setting::as_recorded : sim::Setting::laid_out,
                  model);
}

nb::dict use_of(const PageModel &model) {
  const sim::PageUse &use = model.use();
  nb::dict dict;
  dict["in_use"] = use.in_use;
  dict["most_in_use"] = use.most_in_use;
  dict["live_bytes"] = use.live_bytes;
  dict["most_live_bytes"] = use.most_live_bytes;
  dict["pages"] = model.pages().size();
  dict["touches"] = model.touches();
  dict["steps"] = model.reduction().count();
  dict["exact_from"] = model.reduction().exact_from();
  return dict;
}

// A row for each memory, a column for each side.
nb::list counts_of(const sim::PageCurve &curve) {
  nb::list rows;
  for (const sim::ReadAheadCounts &counts : curve.prefetch)
    rows.append(nb::make_tuple(counts.prefetchable[0], counts.prefetchable[1], counts.others[0],
                               counts.others[1]));
  return rows;
}

nb::dict curve_of(const PageModel &model, const Input<uint32_t> &memories, size_t buffer_pages,
                  size_t group_pages) {
  if (group_pages == 0 || (group_pages & (group_pages - 1)) != 0 || buffer_pages == 0)
    throw nb::value_error("a group's pages are a power of two, and the buffer has some");
  const auto curve = without_gil([&] {
    return sim::page_curve(model.reduction().steps(), model.pages(), span_of(memories),
                           {buffer_pages, group_pages});
  });
  nb::dict dict;
  dict["application"] = to_array(curve.frames[0]);
  dict["allocator"] = to_array(curve.frames[1]);
  dict["prefetch"] = counts_of(curve);
  return dict;
}

} // namespace

void add_pages(nb::module_ &m) {
  nb::class_<PageModel, sim::Consumer>(m, "PageModel")
      .def(nb::new_(&open_model), nb::arg("exact_from"), nb::arg("most_steps"))
      .def("discard", &PageModel::discard, nb::arg("address"), nb::arg("bytes"))
      .def("live", &PageModel::live, nb::arg("more"), nb::arg("fewer"))
      .def("add_trace", &add_trace, nb::arg("reader"), nb::arg("layout"), nb::arg("seed"))
      .def("use", &use_of)
      .def("curve", &curve_of, nb::arg("memories"), nb::arg("buffer_pages"),
           nb::arg("group_pages"));
}

} // namespace abut::bindings
