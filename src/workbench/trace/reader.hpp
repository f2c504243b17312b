// Reads a trace. The file is not trusted: what is damaged is named, left out, and the rest is read.
//
// Opening reads the index, or, where there is none, the heads of all blocks; and the tables. Chunks are read when
// they are asked for, one at a time, so that memory does not grow with the trace. Several threads may read at a time.
#pragma once

#include "trace/events.hpp"
#include "trace/format/chunk.hpp"
#include "trace/format/file.hpp"
#include "trace/format/tables.hpp"
#include "trace/result.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace abut::trace {

// Something that cannot be read.
struct Damage {
  uint64_t offset = 0; // in the file
  std::string what;
};

class Reader {
public:
  // An error where there is no trace at all; less than that is damage.
  static Result<Reader> open(const std::string &path);

  const std::string &path() const { return file_.path(); }
  uint64_t file_bytes() const { return file_.size(); }
  const Header &header() const { return header_; }
  const std::vector<Module> &modules() const { return modules_; }  // module 1 first
  const std::vector<Chain> &contexts() const { return contexts_; } // context 1 first
  const std::vector<Placed> &chunks() const { return chunks_; }
  // Only where the writer could finish.
  const std::optional<Totals> &totals() const { return totals_; }
  std::vector<Damage> damages() const;

  // What is recorded in the file whole, by the heads of its chunks.
  uint64_t accesses() const;
  uint64_t events() const;

  enum class Part : uint8_t { events, all };

  // False where the chunk is damaged; that is then among the damages.
  bool read_chunk(size_t number, Part part, Chunk &chunk);
  bool read_events(size_t number, std::vector<Event> &events);
  // Calls `visit` with each event of the chunks [from, to) that are not damaged.
  template <typename Visit>
  void each_event(size_t from, size_t to, const Visit &visit) {
    std::vector<Event> events;
    for (size_t chunk = from; chunk < to; ++chunk)
      if (read_events(chunk, events)) std::for_each(events.begin(), events.end(), visit);
  }

  void record_damage(size_t chunk, const std::string &what);

private:
  explicit Reader(InputFile file) : file_(std::move(file)) {}

  std::optional<Error> read_start();
  bool read_end();
  void scan();
  uint64_t find_head(uint64_t from);
  bool read_head(uint64_t offset, BlockHead &head);
  bool read_payload(const Placed &block);
  bool read_table(const Placed &block, Bytes &table);
  void take_block(const Placed &block);
  void take_modules(const Placed &block);
  void take_contexts(const Placed &block);
  void damaged(uint64_t offset, std::string what);

  InputFile file_;
  Header header_;
  std::vector<Module> modules_;
  std::vector<Chain> contexts_;
  std::vector<Placed> chunks_;
  std::optional<Totals> totals_;
  // What threads change when they read is below, and theirs in turn.
  std::unique_ptr<std::mutex> turn_ = std::make_unique<std::mutex>();
  std::vector<Damage> damages_;
  std::unique_ptr<BlockParser> parser_ = std::make_unique<BlockParser>();
  Bytes payload_;
  Bytes scratch_;
};

} // namespace abut::trace
