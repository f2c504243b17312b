// Writes a trace. What was called for in an order is read back in that order.
//
// Memory is bounded by one chunk, and by the contexts and modules that there are. A writer that is killed leaves what
// its full chunks hold; `flush` ends a chunk early. For one thread at a time.
#pragma once

#include "trace/events.hpp"
#include "trace/format/file.hpp"
#include "trace/format/rules.hpp"
#include "trace/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace abut::trace {

struct WriterOptions {
  Overwrite overwrite = Overwrite::never;
  bool codes = false;                          // keep the code address of each access
  uint32_t chunk_accesses = uint32_t{1} << 19; // at most kMaxChunkAccesses
  uint32_t chunk_events = uint32_t{1} << 16;   // at most kMaxChunkEvents
  int level = 1;                               // zstd's
};

class Writer {
public:
  static Result<Writer> open(const std::string &path, const Header &header,
                             const WriterOptions &options = {});
  Writer(Writer &&) noexcept;
  Writer &operator=(Writer &&) noexcept;
  ~Writer();

  // The new object's number: 1, 2, 3 ... in order of birth.
  uint64_t allocate(const Origin &origin, uint64_t address, uint64_t size, uint64_t align);
  // The same object, `moved` to the address or in place there.
  void resize(const Origin &origin, uint64_t object, uint64_t address, uint64_t size, bool moved);
  void free(const Origin &origin, uint64_t object);
  void near(const Origin &origin, uint64_t object, uint64_t other);
  void touch(const Origin &origin, uint64_t object, uint64_t weight);
  // Here accesses were left out: so many, or 0 where the number is unknown.
  void gap(const Origin &origin, uint64_t accesses);
  // What was in these bytes is forgotten: they were given back to the kernel.
  void discard(const Origin &origin, uint64_t address, uint64_t size);

  void access(const Access &access);

  // The same quicker, for accesses that often come together: the number of a new site ...
  uint32_t site(const Site &site);
  // ... and accesses one after another. Runs that are likely to come again as they are, are quick and short.
  void accesses(uint32_t thread, std::span<const uint32_t> sites, const Place *places);

  // The context's number, from 1; the same for the same chain. The innermost frame comes first.
  uint32_t context(std::span<const Frame> chain);
  // The module's number, from 1.
  uint32_t module(const Module &module);
  void unload(uint32_t module);

  void count_unmatched_free();
  void count_dropped(uint64_t events, uint64_t accesses);
  void count_instructions(uint64_t more);

  // Writes what there is as a chunk, so that nothing of it can be lost.
  void flush();

  // What went wrong first; nothing that is asked for afterwards is kept.
  const std::optional<Error> &error() const;
  const Totals &totals() const;
  uint64_t bytes_written() const;

  // The last chunk, the totals and the index. Answers what `error` does. Nothing may follow.
  std::optional<Error> finish(int64_t exit_status, uint64_t ended = 0);

private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

} // namespace abut::trace
