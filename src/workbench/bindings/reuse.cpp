#include "bindings/parts.hpp"

#include "bindings/arrays.hpp"
#include "bindings/blocks.hpp"
#include "sim/reuse/reuse.hpp"
#include "sim/reuse/sampled_reuse.hpp"

#include <algorithm>

namespace abut::bindings {
namespace {

using sim::ReuseDistances;
using sim::SampledReuse;

// Columns: the ratio, its standard error.
nb::tuple miss_ratios(const SampledReuse &self, size_t side, const Input<uint64_t> &blocks) {
  Column<double> ratio(blocks.shape(0)), error(blocks.shape(0));
  for (const uint64_t count : span_of(blocks)) {
    const sim::MissRatio found =
        self.miss_ratio(std::min(side, SampledReuse::kBothSides), std::max(count, uint64_t{1}));
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

size_t checked(size_t side) {
  if (side >= sim::kSides) throw nb::value_error("a side is 0 or 1");
  return side;
}

} // namespace

void add_reuse(nb::module_ &m) {
  using namespace nb::literals;
  nb::class_<ReuseDistances, sim::Consumer>(m, "ReuseDistances")
      .def(nb::new_([](uint64_t bytes) { return new ReuseDistances(shift_of(bytes)); }),
           "block_bytes"_a)
      .def("references",
           [](const ReuseDistances &self, size_t side) { return self.references(checked(side)); })
      .def("distances", [](const ReuseDistances &self,
                           size_t side) { return to_array(self.distances(checked(side))); })
      .def("cold",
           [](const ReuseDistances &self, size_t side) { return self.cold(checked(side)); });

  nb::class_<SampledReuse, sim::Consumer>(m, "SampledReuse")
      .def(nb::new_(&open_sampled), "block_bytes"_a, "rate"_a, "most_blocks"_a)
      .def("references",
           [](const SampledReuse &self, size_t side) { return self.references(checked(side)); })
      .def("miss_ratios", &miss_ratios, "side"_a, "blocks"_a)
      .def("rate", &SampledReuse::rate)
      .def("sampled_blocks", &SampledReuse::sampled_blocks);
}

} // namespace abut::bindings
