#include "trace/imports/formats.hpp"
#include "trace/imports/words.hpp"

namespace abut::imports {

namespace {

constexpr std::string_view kBytes = " byte(s) @ ";

// `1234`, `T1234`, or, of a workload of several, `W0.T1234`.
std::optional<uint64_t> thread_of(std::string_view word) {
  if (const size_t mark = word.rfind('T'); mark != std::string_view::npos)
    word.remove_prefix(mark + 1);
  Words words(word);
  const auto thread = words.decimal();
  return words.at_end() ? thread : std::nullopt;
}

std::string_view last_word(std::string_view &text) {
  const size_t end = text.find_last_not_of(" \t");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const size_t blank = text.find_last_of(" \t");
  const size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view word = text.substr(begin);
  text = text.substr(0, begin);
  return word;
}

// Headings, markers, and the sums at the end have no address.
bool is_no_record(std::string_view line) {
  return line.find('<') != std::string_view::npos || line.find("---") != std::string_view::npos ||
         line.starts_with("Output format") || line.starts_with("View tool results") ||
         line.find(" : total ") != std::string_view::npos;
}

} // namespace

Complaint read_drmemtrace_line(std::string_view line, Sink &sink) {
  const size_t middle = line.find(kBytes);
  if (middle == std::string_view::npos) {
    Words words(line);
    return words.word().empty() || is_no_record(line) ? nullptr : "it is no record of drmemtrace";
  }
  std::string_view before = line.substr(0, middle);
  Words size_word(last_word(before));
  const auto size = size_word.decimal();
  const std::string_view kind = last_word(before);
  const auto thread = thread_of(last_word(before));
  if (!size || !size_word.at_end()) return "it has no size";
  if (*size > kMostAccessBytes) return "its size is over 1 MiB";
  if (!thread) return "it has no thread";
  Words after(line.substr(middle + kBytes.size()));
  const auto address = after.hexadecimal();
  if (!address) return "it has no address, a hexadecimal number of 64 bits";
  const auto bytes = static_cast<uint32_t>(*size);
  if (kind == "ifetch") {
    sink.fetch(*thread, *address);
    return nullptr;
  }
  if (kind != "read" && kind != "write") {
    sink.other();
    return nullptr;
  }
  uint64_t code = 0;
  after.skip_blanks();
  if (after.take("by PC ")) {
    const auto counter = after.hexadecimal();
    if (!counter) return "it has no address of code after 'by PC'";
    code = *counter;
  }
  sink.access({*address, bytes, kind == "write", *thread, code});
  return nullptr;
}

} // namespace abut::imports
