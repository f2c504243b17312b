#include "bindings/parts.hpp"

#include "bindings/arrays.hpp"
#include "bindings/failure.hpp"
#include "layout/orders.hpp"
#include "layout/packing.hpp"
#include "layout/relations.hpp"
#include "placement/plan/format.hpp"
#include "placement/plan/slot_reader.hpp"
#include "placement/plan/slot_writer.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <utility>
#include <vector>

namespace abut::bindings {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using place::EdgeList;
using place::Graph;

// Edges between `nodes` rows; throws where they lead elsewhere.
EdgeList edges_of(uint32_t nodes, const Input<uint32_t> &from, const Input<uint32_t> &to,
                  const Input<uint32_t> &weight) {
  if (from.size() != to.size() || from.size() != weight.size())
    throw TraceFailure({"edges", "their columns are not equally long", ""});
  EdgeList edges{vector_of(from), vector_of(to), vector_of(weight)};
  for (size_t i = 0; i < edges.count(); ++i)
    if (edges.from[i] >= nodes || edges.to[i] >= nodes)
      throw TraceFailure({"edges", "one leads to an object that there is not", ""});
  return edges;
}

nb::dict read(trace::Reader &reader, bool accesses, uint32_t window,
              const Input<uint32_t> &context_numbers,
              std::vector<std::pair<size_t, size_t>> windows) {
  place::Relations table;
  {
    const nb::gil_scoped_release others_may_run;
    place::ReadOptions options;
    options.accesses = accesses;
    options.window = window;
    options.context_numbers = vector_of(context_numbers);
    options.windows = std::move(windows);
    table = place::read_relations(reader, options);
  }
  nb::dict dict;
  dict["size"] = to_array(table.size);
  dict["most"] = to_array(table.most);
  dict["align"] = to_array(table.align);
  dict["context"] = to_array(table.context);
  dict["thread"] = to_array(table.thread);
  dict["died"] = to_array(table.died);
  dict["heat"] = to_array(table.heat);
  dict["address"] = to_array(table.address);
  dict["friends"] = edge_arrays(table.friends);
  dict["usage"] = edge_arrays(table.usage);
  dict["arrivals"] = edge_arrays(table.arrivals);
  dict["contexts"] = edge_arrays(table.contexts);
  dict["forgotten"] = table.forgotten;
  return dict;
}

Array<uint32_t> depth_first(uint32_t nodes, const Input<uint32_t> &from, const Input<uint32_t> &to,
                            const Input<uint32_t> &weight, const Input<uint32_t> &starts) {
  const EdgeList edges = edges_of(nodes, from, to, weight);
  return to_array(place::depth_first(Graph(nodes, edges), span_of(starts)));
}

Array<uint32_t> grouped(uint32_t nodes, const Input<uint32_t> &from, const Input<uint32_t> &to,
                        const Input<uint32_t> &weight) {
  return to_array(place::grouped(Graph(nodes, edges_of(nodes, from, to, weight))));
}

Array<uint32_t> hot_streams(const Input<uint32_t> &from, const Input<uint32_t> &to,
                            const Input<uint32_t> &weight, const Input<uint64_t> &heat,
                            const Input<uint32_t> &size) {
  const auto nodes = static_cast<uint32_t>(heat.size());
  if (size.size() != nodes) throw TraceFailure({"sizes", "there must be as many as heats", ""});
  return to_array(
      place::hot_streams(edges_of(nodes, from, to, weight), span_of(heat), span_of(size)));
}

Array<uint32_t> share_by_lifetime(const Input<uint32_t> &size, const Input<uint32_t> &died) {
  if (size.size() != died.size())
    throw TraceFailure({"deaths", "there must be as many as sizes", ""});
  return to_array(place::share_by_lifetime(span_of(size), span_of(died)));
}

Array<int64_t> pack_over_time(const Input<uint32_t> &size, const Input<uint32_t> &died) {
  if (size.size() != died.size())
    throw TraceFailure({"deaths", "there must be as many as sizes", ""});
  for (const uint32_t bytes : span_of(size))
    if (bytes > place::kLargestSize) throw TraceFailure({"sizes", "one is beyond 1008", ""});
  return to_array(place::pack_over_time(span_of(size), span_of(died)));
}

Array<int64_t> pack(const Input<uint32_t> &order, const Input<uint32_t> &size,
                    const Input<uint32_t> &slot, uint64_t begin, uint64_t align) {
  if (slot.size() != 0 && slot.size() != size.size())
    throw TraceFailure({"slots", "there must be as many as sizes, or none", ""});
  return to_array(place::pack(span_of(order), span_of(size), span_of(slot), begin, align));
}

Array<int64_t> avoid_conflicts(const Input<uint32_t> &order, const Input<uint32_t> &size,
                               const Input<uint32_t> &from, const Input<uint32_t> &to,
                               const Input<uint32_t> &weight, uint32_t sets, uint32_t line) {
  if (sets == 0 || line < place::kGranule || line % place::kGranule != 0)
    throw TraceFailure({"cache", "it has no such sets or lines", ""});
  const auto nodes = static_cast<uint32_t>(size.size());
  const Graph graph(nodes, edges_of(nodes, from, to, weight));
  return to_array(place::avoid_conflicts(span_of(order), span_of(size), graph, {sets, line}));
}

std::span<const uint8_t> bytes_of(const nb::bytes &bytes) {
  return {static_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

// A context's slots, one after the other, as a plan's file has them.
nb::bytes code_slots(const nb::bytes &slots) {
  std::vector<plan::Slot> all(slots.size() / sizeof(plan::Slot));
  std::memcpy(all.data(), slots.data(), all.size() * sizeof(plan::Slot));
  std::vector<uint8_t> coded;
  plan::code(all, coded);
  return nb::bytes(coded.data(), coded.size());
}

// The other way round, of a plan that was found sound.
nb::bytes read_slots(const nb::bytes &file, size_t at, size_t count) {
  plan::SlotReader reader(bytes_of(file).subspan(at).data());
  std::vector<plan::Slot> all(count);
  for (plan::Slot &slot : all) slot = reader.next();
  return nb::bytes(all.data(), count * sizeof(plan::Slot));
}

// What is wrong with a plan, or nothing.
nb::object check_plan(const nb::bytes &file) {
  // Where bytes objects begin is Python's to choose: a copy begins where a file's would.
  std::vector<uint64_t> aligned((file.size() + 7) / 8);
  std::memcpy(aligned.data(), file.data(), file.size());
  plan::View view;
  const char *wrong =
      plan::check({reinterpret_cast<const uint8_t *>(aligned.data()), file.size()}, view);
  return wrong == nullptr ? nb::none() : nb::object(nb::str(wrong));
}

} // namespace

void add_place(nb::module_ &m) {
  m.def("read_relations", &read, "reader"_a, "accesses"_a, "window"_a, "context_numbers"_a,
        "windows"_a);
  m.def("depth_first", &depth_first, "nodes"_a, "origin"_a, "to"_a, "weight"_a, "starts"_a);
  m.def("grouped", &grouped, "nodes"_a, "origin"_a, "to"_a, "weight"_a);
  m.def("hot_streams", &hot_streams, "origin"_a, "to"_a, "weight"_a, "heat"_a, "size"_a);
  m.def("share_by_lifetime", &share_by_lifetime, "size"_a, "died"_a);
  m.def("pack_over_time", &pack_over_time, "size"_a, "died"_a);
  m.def("pack", &pack, "order"_a, "size"_a, "slot"_a, "begin"_a, "align"_a);
  m.def("check_plan", &check_plan, "file"_a);
  m.def("code_slots", &code_slots, "slots"_a);
  m.def("read_slots", &read_slots, "file"_a, "at"_a, "count"_a);
  m.def("plan_checksum", [](const nb::bytes &bytes) { return plan::checksum(bytes_of(bytes)); });
  m.def("avoid_conflicts", &avoid_conflicts, "order"_a, "size"_a, "origin"_a, "to"_a, "weight"_a,
        "sets"_a, "line"_a);
}

} // namespace abut::bindings
