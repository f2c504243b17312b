// How fast a trace is read and written, and how many bytes an access takes: of a file, or of a run made up here.
//
// usage: trace_speed [FILE]     on one core; medians of some rounds, of a file in the page cache
#include "trace/batches.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

#include "common/random.hpp"
#include "common/rates.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace abut::trace;

constexpr uint32_t kNodes = 100'000;
constexpr uint64_t kArrayBytes = uint64_t{1} << 20;
constexpr int kRounds = 5;
constexpr int kPasses = 5; // of the program that is made up

class Watch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// A list whose nodes lie at random, a hash table whose buckets are asked for at random, an array that is swept.
class MadeUpProgram {
public:
  explicit MadeUpProgram(Writer &writer) : writer_(writer) {
    for (uint32_t i = 0; i < kNodes; ++i)
      order_.push_back(writer.allocate(origin(), 0x10000 + 64ULL * i, 48, 16));
    bench::shuffle(order_.data(), order_.size(), random_);
    array_ = writer.allocate(origin(), 0x7f0000000000, kArrayBytes, 16);
    table_ = writer.allocate(origin(), 0x7f0000200000, kArrayBytes, 16);
  }

  void walk() {
    for (const uint64_t node : order_) {
      access(1, node, 0, 8, false);
      access(2, node, 8, 4, false);
    }
  }

  void look_up() {
    for (uint32_t i = 0; i < kNodes; ++i) {
      access(3, table_, random_.below(kArrayBytes / 8) * 8, 8, false);
      access(4, order_[random_.below(kNodes)], 16, 8, false);
    }
  }

  void sweep() {
    for (uint64_t at = 0; at < kArrayBytes; at += 8) {
      access(5, array_, at, 8, false);
      access(6, array_, at, 8, true);
    }
  }

private:
  Origin origin() { return {1, 0, time_ += 100}; }

  // `code` stands for the instruction's address.
  void access(uint64_t code, uint64_t object, uint64_t offset, uint32_t size, bool write) {
    Access access;
    access.code = code;
    access.object = object;
    access.offset = offset;
    access.size = size;
    access.write = write;
    access.thread = 1;
    writer_.access(access);
  }

  Writer &writer_;
  bench::Random random_{1};
  std::vector<uint64_t> order_;
  uint64_t array_ = 0;
  uint64_t table_ = 0;
  uint64_t time_ = 0;
};

int fail(const Error &error) {
  std::fprintf(stderr, "trace_speed: %s: %s\n  fix: %s\n", error.what.c_str(), error.why.c_str(),
               error.fix.c_str());
  return 1;
}

int make_up(const std::string &path) {
  WriterOptions options;
  options.overwrite = Overwrite::yes;
  bench::Rates rates;
  for (int round = 0; round < kRounds; ++round) {
    Result<Writer> opened = Writer::open(path, {}, options);
    if (!opened) return fail(opened.error());
    Writer writer = opened.take();
    const Watch watch;
    MadeUpProgram program(writer);
    for (int pass = 0; pass < kPasses; ++pass) {
      program.walk();
      program.look_up();
      program.sweep();
    }
    if (const auto error = writer.finish(0)) return fail(*error);
    rates.add(static_cast<double>(writer.totals().accesses), watch.seconds());
  }
  std::printf("written: %s\n", rates.text("accesses").c_str());
  return 0;
}

int read_back(const std::string &path) {
  bench::Rates rates;
  uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    Result<Reader> opened = Reader::open(path);
    if (!opened) return fail(opened.error());
    Reader reader = opened.take();
    uint64_t accesses = 0;
    const Watch watch;
    for (Batches batches(reader); batches.next(); accesses += batches.size())
      if (batches.size() != 0) sum += batches.objects().back() + batches.offsets().back();
    rates.add(static_cast<double>(accesses), watch.seconds());
    if (round != 0) continue;
    std::printf("%s: %llu accesses, %.3f bytes an access\n", path.c_str(),
                static_cast<unsigned long long>(accesses),
                static_cast<double>(reader.file_bytes()) /
                    static_cast<double>(std::max<uint64_t>(accesses, 1)));
  }
  std::printf("read: %s; checksum %llx\n", rates.text("accesses").c_str(),
              static_cast<unsigned long long>(sum));
  return 0;
}

} // namespace

int main(int count, char **arguments) {
  if (count > 1) return read_back(arguments[1]);
  const std::string path = (std::filesystem::temp_directory_path() / "trace_speed.trace").string();
  if (const int code = make_up(path); code != 0) return code;
  const int code = read_back(path);
  std::filesystem::remove(path);
  return code;
}
