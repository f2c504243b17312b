#include "trace/imports/import.hpp"

#include "trace/imports/formats.hpp"
#include "trace/imports/lines.hpp"

#include <algorithm>
#include <unordered_map>

namespace abut::imports {

namespace {

constexpr uint64_t kMostThreads = 1 << 20;

// Whatever the tool calls its threads, in a trace they are 1, 2, 3 in order of appearance.
class IntoTrace final : public Sink {
public:
  explicit IntoTrace(trace::Writer &writer) : writer_(writer) {}

  void access(const Access &access) override {
    ++counts.accesses;
    Thread &thread = thread_of(access.thread);
    trace::Access written;
    written.offset = access.address;
    written.size = access.size;
    written.write = access.write;
    written.thread = thread.number;
    written.code = access.code != 0 ? access.code : thread.fetched;
    writer_.access(written);
  }

  void fetch(uint64_t thread, uint64_t address) override {
    ++counts.fetches;
    thread_of(thread).fetched = address;
  }

  void other() override { ++counts.others; }

  bool has_too_many_threads() const { return threads_.size() > kMostThreads; }

  Counts counts;

private:
  struct Thread {
    uint32_t number = 0;
    uint64_t fetched = 0;
  };

  Thread &thread_of(uint64_t name) {
    if (last_ != nullptr && name == last_name_) return *last_;
    Thread &thread = threads_[name];
    if (thread.number == 0) thread.number = static_cast<uint32_t>(threads_.size());
    last_name_ = name;
    last_ = &thread;
    return thread;
  }

  trace::Writer &writer_;
  std::unordered_map<uint64_t, Thread> threads_;
  uint64_t last_name_ = 0;
  Thread *last_ = nullptr;
};

using ReadLine = Complaint (*)(std::string_view, Sink &);

ReadLine reader_of(Format format) {
  switch (format) {
  case Format::lackey: return read_lackey_line;
  case Format::drmemtrace: return read_drmemtrace_line;
  default: return read_din_line;
  }
}

// What a terminal can show of a line's begin.
std::string quoted(std::string_view line) {
  constexpr size_t kShown = 60;
  std::string text(line.substr(0, kShown));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char letter) { return letter < ' ' || letter > '~'; },
      '?');
  return "'" + text + (line.size() > kShown ? "...'" : "'");
}

trace::Error error_at(const std::string &path, uint64_t line, std::string why) {
  const std::string where = line != 0 ? path + ":" + std::to_string(line) : path;
  return {where, std::move(why), "say with --from which tool's text it is"};
}

} // namespace

std::optional<Format> format_of(std::string_view begin) {
  if (begin.find(" byte(s) @ ") != std::string_view::npos || begin.starts_with("Output format"))
    return Format::drmemtrace;
  while (!begin.empty()) {
    const size_t end = std::min(begin.find('\n'), begin.size());
    const std::string_view line = begin.substr(0, end);
    begin.remove_prefix(std::min(end + 1, begin.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (line.starts_with("==") || line.starts_with("--") || line.find(',') != line.npos)
      return Format::lackey;
    return Format::din;
  }
  return std::nullopt;
}

trace::Result<Counts> import_text(const std::string &path, Format format, trace::Writer &writer) {
  Lines lines(path);
  IntoTrace into(writer);
  const ReadLine read = reader_of(format);
  while (const auto line = lines.next()) {
    if (const Complaint complaint = read(*line, into))
      return error_at(path, lines.number(), std::string(complaint) + ": " + quoted(*line));
    if (into.has_too_many_threads())
      return error_at(path, lines.number(), "there are more than a million threads");
  }
  if (!lines.failure().empty()) return error_at(path, lines.number(), lines.failure());
  into.counts.lines = lines.number();
  return into.counts;
}

} // namespace abut::imports
