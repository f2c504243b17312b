#include "bindings/parts.hpp"

#include "bindings/arrays.hpp"
#include "bindings/failure.hpp"
#include "sim/time/core.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>

#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace abut::bindings {
namespace {

using sim::Core;
using sim::Machine;
using sim::Ticks;
using sim::TimeCounts;

// Of each prefetcher, so that the targets of all have room.
constexpr uint32_t kMostAhead = (sim::kMostDegree - 1) / 2;
constexpr uint32_t kMostTrained = 32;

template <typename Number>
Number number_of(const nb::dict &settings, const char *name) {
  return nb::cast<Number>(settings[name]);
}

Ticks ticks_of(const nb::dict &settings, const char *name) {
  const auto cycles = number_of<double>(settings, name);
  if (!(cycles >= 0 && cycles < 1e6))
    throw TraceFailure({name, "must be cycles, below a million", ""});
  return static_cast<Ticks>(std::llround(cycles * static_cast<double>(sim::kTicksInCycle)));
}

template <size_t Size>
void read_caches(const nb::dict &settings, const char *name,
                 std::array<sim::TimedCache, Size> &into) {
  const auto list = nb::cast<nb::list>(settings[name]);
  if (list.size() != Size) throw TraceFailure({name, "there must be " + std::to_string(Size), ""});
  for (size_t i = 0; i < Size; ++i) {
    const auto one = nb::cast<nb::dict>(list[i]);
    into.at(i) = {number_of<uint32_t>(one, "sets"), number_of<uint32_t>(one, "ways"),
                  ticks_of(one, "cycles")};
    if (!std::has_single_bit(into.at(i).sets) || into.at(i).ways == 0)
      throw TraceFailure({name, "the number of sets must be a power of two", ""});
  }
}

std::unique_ptr<Core> make_core(const nb::dict &settings) {
  Machine machine;
  read_caches(settings, "caches", machine.caches);
  for (const sim::TimedCache &cache : machine.caches)
    if (cache.ways > sim::LruSets::kWays)
      throw TraceFailure({"caches", "there must be at most 16 ways", ""});
  machine.caches[1].index = sim::Index::frame;
  machine.caches[2].index = sim::Index::hash;
  read_caches(settings, "tlbs", machine.tlbs);
  machine.page_shift = number_of<uint32_t>(settings, "page_shift");
  machine.walk = ticks_of(settings, "walk");
  machine.memory = ticks_of(settings, "memory");
  machine.row_hit_saves = ticks_of(settings, "row_hit_saves");
  machine.line = ticks_of(settings, "line");
  machine.compute = ticks_of(settings, "compute");
  machine.window = number_of<uint32_t>(settings, "window");
  machine.outstanding = number_of<uint32_t>(settings, "outstanding");
  machine.stream = number_of<uint32_t>(settings, "stream");
  machine.trained = number_of<uint32_t>(settings, "trained");
  machine.crosses = number_of<bool>(settings, "crosses");
  machine.adjacent = number_of<bool>(settings, "adjacent");
  machine.stores = number_of<uint32_t>(settings, "stores");
  machine.next = number_of<uint32_t>(settings, "next");
  machine.stride = number_of<uint32_t>(settings, "stride");
  for (const uint32_t count : {machine.window, machine.outstanding})
    if (count == 0 || count > sim::kMostInFlight)
      throw TraceFailure({"window, outstanding", "must be from 1 to 512", ""});
  if (machine.stores > sim::kMostInFlight)
    throw TraceFailure({"stores", "must be at most 512", ""});
  if (machine.stream > kMostAhead || machine.next > kMostAhead || machine.stride > kMostAhead)
    throw TraceFailure({"stream, next, stride", "must be at most 31", ""});
  if (machine.trained == 0 || machine.trained > kMostTrained)
    throw TraceFailure({"trained", "must be from 1 to 32", ""});
  if (machine.page_shift < 12 || machine.page_shift > 30 || machine.row_hit_saves > machine.memory)
    throw TraceFailure({"page_shift or row_hit_saves", "is out of range", ""});
  return std::make_unique<Core>(machine);
}

nb::dict time_counts(const Core &core) {
  const TimeCounts counts = core.counts();
  constexpr std::array<const char *, TimeCounts::kParts> kNames{
      "compute", "L1", "L2", "L3", "memory", "TLB", "dependence", "outstanding", "stores"};
  nb::dict cycles;
  for (size_t part = 0; part < kNames.size(); ++part)
    cycles[kNames.at(part)] =
        static_cast<double>(counts.parts.at(part)) / static_cast<double>(sim::kTicksInCycle);
  nb::dict dict;
  dict["cycles"] = cycles;
  dict["accesses"] = counts.accesses;
  dict["prefetches"] = counts.prefetches;
  dict["useful"] = counts.useful;
  dict["late"] = counts.late;
  return dict;
}

// By owner, in cycles: all, dependence, page tables.
nb::tuple waits_by_owner(const Core &core) {
  std::array<std::vector<double>, 3> columns;
  for (const sim::OwnerWaits &waits : core.waits_by_owner()) {
    size_t column = 0;
    for (const Ticks ticks : {waits.all, waits.dependence, waits.tlb})
      columns.at(column++).push_back(static_cast<double>(ticks) /
                                     static_cast<double>(sim::kTicksInCycle));
  }
  return nb::make_tuple(to_array(columns[0]), to_array(columns[1]), to_array(columns[2]));
}

} // namespace

void add_time(nb::module_ &m) {
  using namespace nb::literals;
  nb::class_<Core, sim::Consumer>(m, "Core")
      .def(nb::new_(&make_core), "settings"_a)
      .def("counts", &time_counts)
      .def("waits_by_owner", &waits_by_owner);
}

} // namespace abut::bindings
