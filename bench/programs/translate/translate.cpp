// Translates a subset of Pascal to C, after ptc: words, a syntax tree and symbol tables on the
// heap, and an output put together from countless short strings.
#include "common/checksum.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "emitter.hpp"
#include "parser.hpp"

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

namespace {

struct Settings {
  std::string_view file;
  std::uint64_t times_over = 1;
  bool print = false;
  bool times = false;
};

std::string read(std::string_view file) {
  std::ifstream in{std::string(file)};
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error("it cannot be read; name a file of Pascal source");
  return text.str();
}

std::string translated(const std::string &source) {
  translate::Parser parser(source);
  const translate::Program program = parser.program();
  return translate::Emitter().program(program);
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  bench::Options options("translate", "Translates a Pascal program to C.");
  options.text("file", settings.file, "the Pascal source");
  options.number("repeat", settings.times_over, {1, 1'000'000}, "times that it is translated");
  options.flag("print", settings.print, "print the C program, not its checksum");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  if (settings.file.empty()) options.fail("file", "", "name a file of Pascal source");
  try {
    bench::Phases phases(settings.times);
    phases.begin("read");
    const std::string source = read(settings.file);
    phases.begin("translate");
    std::string result;
    for (std::uint64_t i = 0; i < settings.times_over; ++i) result = translated(source);
    phases.end();
    bench::Checksum sum;
    sum.add_bytes(result.data(), result.size());
    if (settings.print)
      std::fwrite(result.data(), 1, result.size(), stdout);
    else
      std::printf("read %zu bytes wrote %zu checksum %016" PRIx64 "\n", source.size(),
                  result.size(), sum.value());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "translate: %.*s: %s\n", static_cast<int>(settings.file.size()),
                 settings.file.data(), error.what());
    return 1;
  }
}
