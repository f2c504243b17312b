#include "bindings/parts.hpp"

#include "bindings/arrays.hpp"
#include "bindings/failure.hpp"
#include "trace/imports/import.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

namespace abut::bindings {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using imports::Format;

constexpr const char *kNames[] = {"din", "lackey", "drmemtrace"}; // by Format

std::optional<std::string> format_of(const nb::bytes &begin) {
  const auto format = imports::format_of({begin.c_str(), begin.size()});
  return format ? std::optional<std::string>(kNames[static_cast<size_t>(*format)]) : std::nullopt;
}

Format format_named(const std::string &name) {
  for (const Format format : {Format::din, Format::lackey, Format::drmemtrace})
    if (name == kNames[static_cast<size_t>(format)]) return format;
  throw nb::value_error("no such format");
}

trace::Result<imports::Counts> import_into(const std::string &text, Format format,
                                           const std::string &path, bool codes, bool overwrite) {
  trace::Header header;
  header.command = {text};
  header.recorder = kNames[static_cast<size_t>(format)];
  trace::WriterOptions options;
  options.codes = codes;
  options.overwrite = overwrite ? trace::Overwrite::yes : trace::Overwrite::never;
  trace::Result<trace::Writer> opened = trace::Writer::open(path, header, options);
  if (!opened) return opened.error();
  trace::Writer writer = opened.take();
  trace::Result<imports::Counts> counts = imports::import_text(text, format, writer);
  const auto failure = writer.finish(0);
  if (counts && failure) return *failure;
  return counts;
}

nb::dict import_text(const std::string &text, const std::string &format, const std::string &path,
                     bool codes, bool overwrite) {
  const Format chosen = format_named(format);
  const imports::Counts counts =
      value_of(without_gil([&] { return import_into(text, chosen, path, codes, overwrite); }));
  nb::dict dict;
  dict["lines"] = counts.lines;
  dict["accesses"] = counts.accesses;
  dict["fetches"] = counts.fetches;
  dict["others"] = counts.others;
  return dict;
}

} // namespace

void add_imports(nb::module_ &m) {
  m.def("text_format_of", &format_of, "begin"_a);
  m.def("import_text", &import_text, "text"_a, "format"_a, "path"_a, "codes"_a, "overwrite"_a);
}

} // namespace abut::bindings
