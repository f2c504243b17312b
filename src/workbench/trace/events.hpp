// What a trace consists of, as those who write and read it see it.
//
// Objects, contexts, modules and threads are numbers from 1; 0 stands for none, or unknown.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace abut::trace {

// Whose access it was: the program's, or that of the allocator that serves it.
enum class Side : uint8_t { application, allocator };

// Who asked for something, and when.
struct Origin {
  uint32_t thread = 0;
  uint32_t context = 0;
  uint64_t time = 0; // nanoseconds since the recording began
};

struct Access {
  uint64_t object = 0; // 0: none of the heap's
  uint64_t offset = 0; // from the object's begin; the address where there is no object
  uint32_t size = 0;
  bool write = false;
  Side side = Side::application;
  uint32_t thread = 0;
  uint64_t code = 0; // the address of the instruction; 0: not recorded
  // The load that its address comes from; of a write, what it writes: 1 + how many accesses before; 1: from none of
  // the last 254; 0: not recorded.
  uint8_t source = 0;

  bool operator==(const Access &) const = default;
};

enum class EventKind : uint8_t {
  allocate, // address, size, detail: alignment asked for
  free,
  resize, // in place: address, size
  move,   // a resize that moved the object: its new address, size
  near,   // detail: the object that it should abut
  touch,  // detail: weight
  gap,    // object 0; detail: accesses that were left out here, 0 where nobody counted
  discard, // object 0; address, size: memory that was unmapped, or whose content the kernel shall forget
};
inline constexpr uint8_t kEventKinds = 8;

struct Event {
  EventKind kind = EventKind::allocate;
  uint32_t thread = 0;
  uint32_t context = 0;
  uint64_t time = 0;
  uint64_t object = 0;
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t detail = 0;
  uint64_t position = 0; // accesses of the whole trace that come before

  bool operator==(const Event &) const = default;
};

// One step of a call chain: a place in a module's file, independent of where that was loaded.
struct Frame {
  uint32_t module = 0; // 0: in no known module; then the offset is an address
  uint64_t offset = 0;

  bool operator==(const Frame &) const = default;
};

struct Module {
  std::string path;
  std::string build_id; // hexadecimal; empty where it has none
  uint64_t base = 0;    // what to add to an offset to get an address
  uint64_t length = 0;
  bool unloaded = false;

  bool operator==(const Module &) const = default;
};

// How the trace came to be.
struct Header {
  std::vector<std::string> command;
  std::string machine;
  std::string recorder;
  uint64_t started = 0; // nanoseconds since 1970
  uint64_t process = 0;
  std::vector<std::pair<std::string, std::string>> notes; // whatever else, by name

  bool operator==(const Header &) const = default;
};

// What the trace holds, and what it could not hold. Written at the end.
struct Totals {
  uint64_t accesses = 0;
  uint64_t events = 0;
  uint64_t objects = 0;
  uint64_t frees = 0;
  uint64_t unmatched_frees = 0; // frees of what was no live object; no event stands for them
  uint64_t dropped_events = 0;
  uint64_t dropped_accesses = 0;
  int64_t exit_status = 0;   // as wait(2) gives it
  uint64_t ended = 0;        // nanoseconds since the recording began
  uint64_t instructions = 0; // that ran while accesses were recorded; 0: nobody counted them

  bool operator==(const Totals &) const = default;
};

} // namespace abut::trace
