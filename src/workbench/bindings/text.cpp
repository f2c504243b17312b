#include "trace/text.hpp"

#include "bindings/arrays.hpp"
#include "bindings/failure.hpp"
#include "bindings/parts.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>

namespace abut::bindings {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using trace::TextExport;

// The reader, kept for as long as its text is written.
class TextSteps {
public:
  TextSteps(std::shared_ptr<trace::Reader> reader, const std::string &form, const std::string &path)
      : reader_(std::move(reader)), text_(opened(*reader_, form, path)) {}

  // Writes some more, a hundredth of a second's worth: the accesses that are done, or None where all is written.
  nb::object next() {
    constexpr int kBatches = 16;
    const uint64_t accesses = value_of(without_gil([this] {
      auto done = text_.next();
      for (int i = 1; i < kBatches && done && !text_.done(); ++i) done = text_.next();
      return done;
    }));
    return text_.done() ? nb::none() : nb::cast(accesses);
  }

private:
  static TextExport opened(trace::Reader &reader, const std::string &form,
                           const std::string &path) {
    const auto chosen = form == "din" ? TextExport::Form::din : TextExport::Form::steps;
    return value_of(TextExport::open(reader, chosen, path));
  }

  std::shared_ptr<trace::Reader> reader_;
  TextExport text_;
};

} // namespace

void add_text(nb::module_ &m) {
  nb::class_<TextSteps>(m, "TextSteps")
      .def(nb::init<std::shared_ptr<trace::Reader>, const std::string &, const std::string &>(),
           "reader"_a, "form"_a, "path"_a)
      .def("next", &TextSteps::next);
}

} // namespace abut::bindings
