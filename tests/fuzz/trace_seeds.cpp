// Writes small traces for the fuzzer to begin with: trace_seeds FOLDER.
#include "trace/writer.hpp"

#include "support/random.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace abut::trace;

void write_trace(const std::string &path, uint64_t seed) {
  support::Random random(seed);
  WriterOptions options;
  options.overwrite = Overwrite::yes;
  options.codes = seed % 2 == 0;
  options.chunk_accesses = 40;
  Result<Writer> opened =
      Writer::open(path, {{"prog", "x"}, "m", "r", 1, 2, {{"a", "b"}}}, options);
  if (!opened) std::exit(1);
  Writer writer = opened.take();
  const uint32_t module = writer.module({"/bin/prog", "ab", 0, 4096, false});
  for (uint64_t i = 0; i < 60 * seed; ++i) {
    const Frame frame{module, random.below(5)};
    const Origin origin{1, writer.context({&frame, 1}), i};
    const uint64_t object = writer.allocate(origin, random.below(1 << 20), 64, 16);
    for (int j = 0; j < 4; ++j) {
      Access access;
      access.object = 1 + random.below(object);
      access.offset = random.below(80);
      access.size = 8;
      access.thread = 1;
      access.code = random.below(9);
      writer.access(access);
    }
    if (i % 3 == 0) writer.free(origin, object);
    if (i % 7 == 0) writer.resize(origin, object, 5, 100, i % 2 == 0);
    if (i % 11 == 0) writer.near(origin, object, 1);
  }
  if (writer.finish(0)) std::exit(1);
}

// The target takes what follows the file's head, after a byte that says whether to mend checksums.
void write_seed(const std::string &trace, const std::string &path) {
  std::ifstream file(trace, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::ofstream(path, std::ios::binary) << '\1' << bytes.substr(16);
}

} // namespace

int main(int count, char **arguments) {
  if (count != 2) return 2;
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const std::string trace = (folder / "trace").string();
    write_trace(trace, seed);
    write_seed(trace, (folder / std::to_string(seed)).string());
    std::filesystem::remove(trace);
  }
  return 0;
}
