// The libFuzzer target for the text of other tools: its first byte chooses the format, the rest are lines.
#include "trace/imports/formats.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace abut::imports;

// What is let through must be something that a trace can hold.
class Checking final : public Sink {
public:
  void access(const Access &access) override {
    if (access.size > kMostAccessBytes) std::abort();
  }
  void fetch(uint64_t, uint64_t) override {}
  void other() override {}
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size == 0) return 0;
  constexpr decltype(&read_din_line) kReaders[] = {read_din_line, read_lackey_line,
                                                   read_drmemtrace_line};
  const auto read = kReaders[data[0] % 3];
  std::string_view text(reinterpret_cast<const char *>(data + 1), size - 1);
  Checking sink;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    read(line, sink);
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
  }
  return 0;
}
