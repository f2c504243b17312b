// Traces in a scratch folder: made up from a seed, written, read back whole, and damaged.
#pragma once

#include "support/random.hpp"
#include "trace/batches.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

namespace helpers {

namespace trace = abut::trace;

// A folder that goes with the test.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "abut-trace-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }

  std::string file(const std::string &name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

inline trace::Bytes contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return {text.begin(), text.end()};
}

inline void replace(const std::string &path, const trace::Bytes &bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// What happened, in order.
using Step = std::variant<trace::Event, trace::Access>;

// By the columns of a batch, or of a decoder.
template <typename Columns>
trace::Access access_at(const Columns &columns, uint32_t i) {
  const uint8_t kind = columns.kinds()[i];
  const bool is_allocators = (kind & trace::kAllocator) != 0;
  return {columns.objects()[i],
          columns.offsets()[i],
          columns.sizes()[i],
          (kind & trace::kWrite) != 0,
          is_allocators ? trace::Side::allocator : trace::Side::application,
          columns.threads()[i],
          columns.codes()[i],
          columns.sources()[i]};
}

// Everything that can be read, in order.
inline std::vector<Step> read_steps(trace::Reader &reader) {
  std::vector<Step> steps;
  for (trace::Batches batches(reader); batches.next();) {
    batches.in_order(
        [&](uint32_t from, uint32_t to) {
          for (uint32_t i = from; i < to; ++i) steps.emplace_back(access_at(batches, i));
        },
        [&](const trace::Event &event) { steps.emplace_back(event); });
  }
  return steps;
}

// A program that never was: lists that are walked, arrays that are swept, counters, births and deaths.
class MadeUpRun {
public:
  explicit MadeUpRun(uint64_t seed) : random_(seed) {}

  bool with_codes = false;

  // Performs about `count` steps on the writer, and notes them.
  void perform(trace::Writer &writer, size_t count) {
    while (steps.size() < count) {
      switch (live_.empty() ? 0 : random_.below(12)) {
      case 0: birth(writer); break;
      case 1: death(writer); break;
      case 2: resize(writer); break;
      case 3: hint(writer); break;
      case 4: sweep(writer); break;
      case 5: stray(writer); break;
      default: walk(writer); break;
      }
    }
  }

  std::vector<Step> steps;
  uint64_t accesses = 0;
  uint64_t frees = 0;

private:
  struct Live {
    uint64_t object;
    uint64_t address;
    uint64_t size;
  };

  trace::Origin origin() {
    time_ += random_.below(1000);
    return {static_cast<uint32_t>(1 + random_.below(3)), static_cast<uint32_t>(random_.below(40)),
            time_};
  }

  void record(trace::EventKind kind, const trace::Origin &from, uint64_t object, uint64_t address,
              uint64_t size, uint64_t detail) {
    steps.emplace_back(trace::Event{kind, from.thread, from.context, from.time, object, address,
                                    size, detail, accesses});
  }

  void access(trace::Writer &writer, uint64_t object, uint64_t offset, uint32_t size) {
    trace::Access access;
    access.object = object;
    access.offset = offset;
    access.size = size;
    access.write = random_.below(3) == 0;
    access.side = random_.below(10) == 0 ? trace::Side::allocator : trace::Side::application;
    access.thread = thread_;
    access.code = with_codes ? 0x400000 + random_.below(700) * 4 : 0;
    writer.access(access);
    steps.emplace_back(access);
    ++accesses;
  }

  Live &any() { return live_[random_.below(live_.size())]; }

  void birth(trace::Writer &writer) {
    const trace::Origin from = origin();
    const Live fresh{++born_, 0x10000 + random_.below(1 << 30) * 16, random_.size_up_to(1 << 20)};
    EXPECT_EQ(writer.allocate(from, fresh.address, fresh.size, 16), fresh.object);
    record(trace::EventKind::allocate, from, fresh.object, fresh.address, fresh.size, 16);
    live_.push_back(fresh);
  }

  void death(trace::Writer &writer) {
    const trace::Origin from = origin();
    std::swap(any(), live_.back());
    writer.free(from, live_.back().object);
    record(trace::EventKind::free, from, live_.back().object, 0, 0, 0);
    live_.pop_back();
    ++frees;
  }

  void resize(trace::Writer &writer) {
    const trace::Origin from = origin();
    Live &changed = any();
    const bool moved = random_.below(2) == 0;
    if (moved) changed.address += 16 * (1 + random_.below(1000));
    changed.size = random_.size_up_to(1 << 20);
    writer.resize(from, changed.object, changed.address, changed.size, moved);
    record(moved ? trace::EventKind::move : trace::EventKind::resize, from, changed.object,
           changed.address, changed.size, 0);
  }

  void hint(trace::Writer &writer) {
    const trace::Origin from = origin();
    const uint64_t object = any().object;
    switch (random_.below(4)) {
    case 0: {
      const uint64_t other = any().object;
      writer.near(from, object, other);
      return record(trace::EventKind::near, from, object, 0, 0, other);
    }
    case 1:
      writer.discard(from, 0x7f0000000000, 8192);
      return record(trace::EventKind::discard, from, 0, 0x7f0000000000, 8192, 0);
    case 2:
      writer.touch(from, object, 7);
      return record(trace::EventKind::touch, from, object, 0, 0, 7);
    default: writer.gap(from, 1000); return record(trace::EventKind::gap, from, 0, 0, 0, 1000);
    }
  }

  void sweep(trace::Writer &writer) {
    const Live swept = any();
    for (uint64_t at = 0; at + 8 <= swept.size && at < 4096; at += 8)
      access(writer, swept.object, at, 8);
  }

  void stray(trace::Writer &writer) {
    for (uint64_t i = 0; i < 20; ++i) access(writer, 0, 0x7ffc00000000 + random_.below(1 << 16), 4);
  }

  void walk(trace::Writer &writer) {
    thread_ = static_cast<uint32_t>(1 + random_.below(3));
    const uint64_t begin = random_.below(live_.size());
    for (uint64_t i = 0; i < 30; ++i) {
      const Live &node = live_[(begin + i) % live_.size()];
      access(writer, node.object, 0, 8);
      access(writer, node.object, random_.below(64), static_cast<uint32_t>(1U << random_.below(6)));
      access(writer, live_.front().object, 16, 4);
    }
    if (random_.below(50) == 0)
      access(writer, any().object, random_.next(), static_cast<uint32_t>(random_.next()));
  }

  support::Random random_;
  std::vector<Live> live_;
  uint64_t born_ = 0;
  uint64_t time_ = 0;
  uint32_t thread_ = 1;
};

inline trace::Writer open_writer(const std::string &path, const trace::WriterOptions &options = {},
                                 const trace::Header &header = {}) {
  trace::Result<trace::Writer> writer = trace::Writer::open(path, header, options);
  EXPECT_TRUE(writer.ok());
  return writer.take();
}

inline trace::Reader open_reader(const std::string &path) {
  trace::Result<trace::Reader> reader = trace::Reader::open(path);
  EXPECT_TRUE(reader.ok());
  return reader.take();
}

} // namespace helpers
