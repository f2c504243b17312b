#include "bindings/reuse.hpp"

#include "bindings/addresses.hpp"
#include "bindings/arrays.hpp"
#include "sim/reuse.hpp"
#include "sim/sampled_reuse.hpp"
#include "sim/trace_addresses.hpp"
#include "trace/reader.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>

namespace abut::bindings {
namespace {

using sim::ReuseDistances;
using sim::SampledReuse;

template <typename Distances>
void add_columns(Distances &distances, const Input<uint64_t> &address,
                 const MaybeInput<uint32_t> &size, const MaybeInput<uint8_t> &side) {
  const sim::Addresses references = addresses_of(address, size, side);
  const nb::gil_scoped_release others_may_run;
  distances.add(references);
}

template <typename Distances>
void add_trace(Distances &distances, const std::shared_ptr<trace::Reader> &reader, bool strays) {
  const nb::gil_scoped_release others_may_run;
  sim::TraceAddresses(*reader, strays)
      .read([&](const sim::Addresses &piece) { distances.add(piece); }, [](const auto &) {});
}

template <typename Distances>
void add_face(nb::class_<Distances> &type) {
  type.def("add", &add_columns<Distances>, nb::arg("address"), nb::arg("size") = nb::none(),
           nb::arg("side") = nb::none());
  type.def("add_trace", &add_trace<Distances>, nb::arg("reader"), nb::arg("strays"));
  type.def("references",
           [](const Distances &self, size_t side) { return self.references(side_of(side)); });
}

// Columns: the ratio, its standard error.
nb::tuple miss_ratios(const SampledReuse &self, size_t side, const Input<uint64_t> &blocks) {
  Column<double> ratio(blocks.shape(0)), error(blocks.shape(0));
  for (const uint64_t count : span_of(blocks)) {
    const sim::MissRatio found = self.miss_ratio(std::min(side, SampledReuse::kBothSides), count);
    ratio.append(std::span<const double>(&found.ratio, 1));
    error.append(std::span<const double>(&found.error, 1));
  }
  return nb::make_tuple(ratio.finish(), error.finish());
}

SampledReuse *open_sampled(uint64_t block_bytes, double rate, uint32_t most_blocks) {
  if (!(rate > 0 && rate <= 1)) throw nb::value_error("a rate is above 0 and at most 1");
  const sim::BlockShift shift = shift_of(block_bytes);
  return most_blocks != 0 ? new SampledReuse(shift, rate, most_blocks)
                          : new SampledReuse(shift, rate);
}

} // namespace

void add_reuse(nb::module_ &m) {
  nb::class_<ReuseDistances> exact(m, "ReuseDistances");
  exact.def(nb::new_([](uint64_t bytes) { return new ReuseDistances(shift_of(bytes)); }),
            nb::arg("block_bytes"));
  add_face(exact);
  exact.def("distances", [](const ReuseDistances &self, size_t side) {
    return to_array(self.distances(side_of(side)));
  });
  exact.def("cold",
            [](const ReuseDistances &self, size_t side) { return self.cold(side_of(side)); });
  exact.def("blocks", &ReuseDistances::blocks);

  nb::class_<SampledReuse> sampled(m, "SampledReuse");
  sampled.def(nb::new_(&open_sampled), nb::arg("block_bytes"), nb::arg("rate"),
              nb::arg("most_blocks"));
  add_face(sampled);
  sampled.def("miss_ratios", &miss_ratios, nb::arg("side"), nb::arg("blocks"));
  sampled.def("rate", &SampledReuse::rate);
  sampled.def("sampled_blocks", &SampledReuse::sampled_blocks);
  sampled.def("sampled_references", [](const SampledReuse &self, size_t side) {
    return self.sampled_references(side_of(side));
  });
}

} // namespace abut::bindings
