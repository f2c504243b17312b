#include "bindings/parts.hpp"

#include "bindings/failure.hpp"
#include "trace/writer.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace abut::bindings {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using trace::Writer;

Writer open_writer(const std::string &path, std::vector<std::string> command, std::string machine,
                   std::string recorder, bool overwrite, bool codes, uint32_t chunk_accesses) {
  trace::Header header;
  header.command = std::move(command);
  header.machine = std::move(machine);
  header.recorder = std::move(recorder);
  trace::WriterOptions options;
  options.overwrite = overwrite ? trace::Overwrite::yes : trace::Overwrite::never;
  options.codes = codes;
  options.chunk_accesses = chunk_accesses;
  return value_of(Writer::open(path, header, options));
}

uint32_t add_context(Writer &writer, const std::vector<std::pair<uint32_t, uint64_t>> &frames) {
  std::vector<trace::Frame> chain;
  chain.reserve(frames.size());
  for (const auto &[module, offset] : frames) chain.push_back({module, offset});
  return writer.context(chain);
}

void add_access(Writer &writer, uint64_t object, uint64_t offset, uint32_t size, bool write,
                bool allocator, uint32_t thread, uint64_t code) {
  const auto side = allocator ? trace::Side::allocator : trace::Side::application;
  writer.access({object, offset, size, write, side, thread, code});
}

void finish(Writer &writer, int64_t exit_status, uint64_t ended) {
  if (const auto error = writer.finish(exit_status, ended)) throw TraceFailure(*error);
}

} // namespace

void add_writer(nb::module_ &m) {
  nb::class_<Writer>(m, "Writer")
      .def("module",
           [](Writer &writer, std::string path, std::string build_id, uint64_t base,
              uint64_t length) {
             return writer.module({std::move(path), std::move(build_id), base, length, false});
           })
      .def("context", &add_context)
      .def("allocate",
           [](Writer &writer, uint32_t thread, uint32_t context, uint64_t time, uint64_t address,
              uint64_t size, uint64_t align) {
             return writer.allocate({thread, context, time}, address, size, align);
           })
      .def("resize",
           [](Writer &writer, uint32_t thread, uint32_t context, uint64_t time, uint64_t object,
              uint64_t address, uint64_t size, bool moved) {
             writer.resize({thread, context, time}, object, address, size, moved);
           })
      .def("free",
           [](Writer &writer, uint32_t thread, uint32_t context, uint64_t time, uint64_t object) {
             writer.free({thread, context, time}, object);
           })
      .def("discard",
           [](Writer &writer, uint32_t thread, uint64_t time, uint64_t address, uint64_t size) {
             writer.discard({thread, 0, time}, address, size);
           })
      .def("access", &add_access)
      .def("flush", &Writer::flush)
      .def("finish", &finish);
  m.def("open_writer", &open_writer, "path"_a, "command"_a, "machine"_a, "recorder"_a,
        "overwrite"_a, "codes"_a, "chunk_accesses"_a);
}

} // namespace abut::bindings
