// A traced process: takes its raw stream, finds out which object each address belongs to, and writes the trace.
#pragma once

#include "collect/session/module_table.hpp"
#include "collect/session/object_map.hpp"
#include "collect/session/sources.hpp"
#include "collect/session/tsc_clock.hpp"
#include "trace/hash_map.hpp"
#include "trace/writer.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace abut::record {

// What of the raw stream goes into the trace.
struct Selection {
  bool sites = false;      // the address of the code of each access
  bool everything = false; // the program's accesses to what is no object, too
};

// The blocks that a child has from its parent.
using Snapshot = std::vector<Object>;

// A raw stream that makes no sense.
struct BadStream {
  const char *why;
};

inline void require(bool holds, const char *why) {
  if (!holds) throw BadStream{why};
}

class Session {
public:
  // `forked` gets the number of each fork, when the session is in the state that the child inherits.
  Session(trace::Writer writer, Selection selection, ClockReading begin,
          std::function<void(uint32_t)> forked);

  void restore(const Snapshot &snapshot);
  Snapshot snapshot() const;

  // Reads a slot. Throws BadStream.
  void read(std::span<const uint64_t> words);

  trace::Writer &writer() { return writer_; }
  // Frees that were noticed only because their memory was handed out again.
  uint64_t missed_frees() const { return missed_frees_; }

private:
  struct Thread {
    bool inside = false; // the allocator
    uint64_t stack_low = 0;
    uint64_t stack_high = 0;
    Handle resized = 0; // by the call of realloc that it is in
    uint64_t resized_number = 0;
    bool operator==(const Thread &) const = default;
  };
  // A place in the code that makes accesses.
  struct CodePlace {
    uint64_t code;
    uint8_t size;
    bool writes;
    Handle object; // that it went to last
    // In the trace, of the program and of the allocator: the site of its last access, and that one's source; 0: none yet.
    uint32_t sites[2];
    uint8_t sources[2];
  };
  // A block of code: which places are its.
  struct CodeBlock {
    uint32_t first;
    uint32_t count;
  };
  using Words = std::span<const uint64_t>;

  void read_accesses(uint64_t head, Words words);
  void read_event(uint64_t head, Words words);
  void pass_on();
  void make_room(size_t accesses);
  bool locate(uint64_t address, CodePlace &code, trace::Place &place);
  uint32_t site_of(CodePlace &code, unsigned side, uint8_t source);
  void kernel_access(uint64_t address, uint64_t bytes, bool writes);
  void define_block(uint64_t count, Words words);
  void define_context(Words words);
  void map_module(uint64_t path_length, Words words);
  void unmap(uint64_t address, uint64_t bytes);
  void run_thread(uint64_t number);
  void set_stack(uint64_t number, uint64_t low, uint64_t high);
  void end_what_lies_at(uint64_t time, uint64_t address);
  void allocate(uint64_t alignment, Words words);
  void free(uint64_t time, uint64_t address, uint64_t caller);
  bool is_being_resized(Handle) const;
  void begin_resize(uint64_t address);
  void end_resize(bool unchanged, Words words);
  void hint_near(Words words);
  void hint_touch(Words words);
  void set_recording(bool on, uint64_t time);
  Thread &thread(uint64_t number);
  trace::Origin origin(uint64_t time, uint64_t raw_context = 0);

  trace::Writer writer_;
  Selection selection_;
  TscClock clock_;
  std::function<void(uint32_t)> forked_;
  ObjectMap objects_;
  ModuleTable modules_;
  std::vector<CodeBlock> blocks_;
  std::vector<CodePlace> places_;    // of all blocks
  trace::NumberMap<uint32_t> sites_; // of each place, side and source
  Sources sources_;
  std::vector<trace::Place> found_; // accesses that are not yet passed on
  std::vector<uint32_t> found_sites_;
  size_t found_count_ = 0;
  std::vector<uint32_t> contexts_; // by raw number / 4
  std::unordered_map<uint32_t, Thread> threads_;
  uint32_t running_ = 1;
  Thread *current_ = nullptr;
  bool recording_ = true;
  uint64_t missed_frees_ = 0;
};

} // namespace abut::record
