// The native module `abut_native`: the trace's reader, checks and tables. Python code wraps it and names the types.
#include "bindings/batches.hpp"
#include "bindings/failure.hpp"
#include "bindings/parts.hpp"
#include "trace/check.hpp"
#include "trace/context_table.hpp"
#include "trace/object_table.hpp"
#include "trace/reader.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>

namespace abut::bindings {
namespace {

using trace::Reader;

std::shared_ptr<Reader> open_reader(const std::string &path) {
  return std::make_shared<Reader>(value_of(Reader::open(path)));
}

// What was recorded may be no UTF-8: file names need not be.
nb::str text(const std::string &bytes) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

nb::dict header_of(const Reader &reader) {
  const trace::Header &header = reader.header();
  nb::list command, notes;
  for (const std::string &word : header.command) command.append(text(word));
  for (const auto &[name, value] : header.notes)
    notes.append(nb::make_tuple(text(name), text(value)));
  nb::dict dict;
  dict["command"] = command;
  dict["machine"] = text(header.machine);
  dict["recorder"] = text(header.recorder);
  dict["started"] = header.started;
  dict["process"] = header.process;
  dict["notes"] = notes;
  return dict;
}

nb::object totals_of(const Reader &reader) {
  if (!reader.totals()) return nb::none();
  const trace::Totals &totals = *reader.totals();
  nb::dict dict;
  dict["accesses"] = totals.accesses;
  dict["events"] = totals.events;
  dict["objects"] = totals.objects;
  dict["frees"] = totals.frees;
  dict["unmatched_frees"] = totals.unmatched_frees;
  dict["dropped_events"] = totals.dropped_events;
  dict["dropped_accesses"] = totals.dropped_accesses;
  dict["exit_status"] = totals.exit_status;
  dict["ended"] = totals.ended;
  dict["instructions"] = totals.instructions;
  return dict;
}

nb::list modules_of(const Reader &reader) {
  nb::list list;
  for (const trace::Module &module : reader.modules())
    list.append(nb::make_tuple(text(module.path), text(module.build_id), module.base, module.length,
                               module.unloaded));
  return list;
}

nb::list contexts_of(const Reader &reader) {
  nb::list list;
  for (const trace::Chain &chain : reader.contexts()) {
    nb::list frames;
    for (const trace::Frame &frame : chain)
      frames.append(nb::make_tuple(frame.module, frame.offset));
    list.append(frames);
  }
  return list;
}

// The contexts by their innermost `steps` frames: for each context, from 0, the number of those from 1; and what they are.
nb::tuple prefixes_of(const Reader &reader, size_t steps) {
  trace::ContextTable known;
  std::vector<uint32_t> numbers{0};
  nb::list prefixes;
  for (const trace::Chain &chain : reader.contexts()) {
    const std::span<const trace::Frame> all(chain);
    const auto prefix = all.first(std::min(steps, all.size()));
    const auto [number, fresh] = known.number_of(prefix);
    numbers.push_back(number);
    if (!fresh) continue;
    nb::list frames;
    for (const trace::Frame &frame : prefix)
      frames.append(nb::make_tuple(frame.module, frame.offset));
    prefixes.append(frames);
  }
  return nb::make_tuple(to_array(numbers), prefixes);
}

// A row a chunk: offset in the file, bytes, first access, accesses, first event, events.
nb::list chunks_of(const Reader &reader) {
  nb::list list;
  for (const trace::Placed &chunk : reader.chunks())
    list.append(nb::make_tuple(chunk.offset, trace::kBlockHeadBytes + chunk.head.payload_bytes,
                               chunk.head.first_access, chunk.head.accesses, chunk.head.first_event,
                               chunk.head.events));
  return list;
}

nb::list damages_of(const Reader &reader) {
  nb::list list;
  for (const trace::Damage &damage : reader.damages())
    list.append(nb::make_tuple(damage.offset, text(damage.what)));
  return list;
}

nb::object events_of(Reader &reader, size_t chunk) {
  if (chunk >= reader.chunks().size()) throw nb::index_error("no such chunk");
  std::vector<trace::Event> events;
  const bool good = without_gil([&] { return reader.read_events(chunk, events); });
  return good ? nb::object(event_arrays(events)) : nb::none();
}

nb::dict objects_of(Reader &reader, bool accesses) {
  const auto count = accesses ? trace::Count::accesses : trace::Count::events;
  const auto table = without_gil([&] { return trace::read_objects(reader, count); });
  nb::dict dict;
  dict["size"] = to_array(table.size);
  dict["last_size"] = to_array(table.last_size);
  dict["address"] = to_array(table.address);
  dict["align"] = to_array(table.align);
  dict["context"] = to_array(table.context);
  dict["thread"] = to_array(table.thread);
  dict["born"] = to_array(table.born);
  dict["died"] = to_array(table.died);
  dict["born_at"] = to_array(table.born_at);
  dict["died_at"] = to_array(table.died_at);
  dict["resizes"] = to_array(table.resizes);
  if (!accesses) return dict;
  dict["reads"] = to_array(table.reads);
  dict["writes"] = to_array(table.writes);
  dict["allocator_accesses"] = to_array(table.allocator_accesses);
  return dict;
}

nb::dict check(Reader &reader) {
  const auto findings = without_gil([&] { return trace::check(reader); });
  nb::list violations;
  for (const trace::Violation &violation : findings.violations)
    violations.append(nb::make_tuple(violation.rule, violation.first, violation.count));
  const trace::Remarkable &seen = findings.remarkable;
  nb::dict dict;
  dict["violations"] = violations;
  dict["events"] = findings.events;
  dict["live_objects"] = findings.live_objects;
  dict["accesses"] = seen.accesses;
  dict["without_object"] = seen.without_object;
  dict["allocator_side"] = seen.allocator_side;
  dict["outside"] = seen.outside;
  dict["dead"] = seen.dead;
  dict["allocator_outside"] = seen.allocator_outside;
  dict["allocator_dead"] = seen.allocator_dead;
  return dict;
}

} // namespace
} // namespace abut::bindings

NB_MODULE(abut_native, m) {
  using namespace abut::bindings;
  static nb::object failure = nb::exception<TraceFailure>(m, "TraceFailure");
  nb::register_exception_translator([](const std::exception_ptr &thrown, void *) {
    try {
      std::rethrow_exception(thrown);
    } catch (const TraceFailure &error) {
      const nb::tuple parts =
          nb::make_tuple(text(error.error.what), text(error.error.why), text(error.error.fix));
      PyErr_SetObject(failure.ptr(), parts.ptr());
    }
  });
  add_writer(m);
  add_sim(m);
  add_reuse(m);
  add_pages(m);
  add_report(m);
  add_place(m);
  add_imports(m);
  add_time(m);
  add_calibrate(m);
  add_text(m);
  nb::class_<BatchSource>(m, "Batches").def("next", &BatchSource::next);
  nb::class_<Reader>(m, "Reader")
      .def(nb::new_(&open_reader), nb::arg("path"))
      .def("header", &header_of)
      .def("totals", &totals_of)
      .def("modules", &modules_of)
      .def("contexts", &contexts_of)
      .def("prefixes", &prefixes_of, nb::arg("steps"))
      .def("chunks", &chunks_of)
      .def("damages", &damages_of)
      .def("accesses", &Reader::accesses)
      .def("event_count", &Reader::events)
      .def("file_bytes", &Reader::file_bytes)
      .def("events", &events_of, nb::arg("chunk"))
      .def("objects", &objects_of, nb::arg("accesses"))
      .def("check", &check)
      .def(
          "batches",
          [](std::shared_ptr<Reader> reader, size_t from, size_t to, uint32_t most, bool codes) {
            return BatchSource(std::move(reader), from, to, most, codes);
          },
          nb::arg("first"), nb::arg("end"), nb::arg("most"), nb::arg("codes"));
}
