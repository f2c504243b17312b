// The events of one chunk as columns of bytes, and both ways between them.
#pragma once

#include "trace/events.hpp"
#include "trace/format/bytes.hpp"

#include <cstdint>
#include <vector>

namespace abut::trace {

struct EventColumns {
  Bytes kinds;     // a byte each; all others are varints
  Bytes positions; // accesses since the event before
  Bytes threads;   // only where it is not that of the event before
  Bytes times;     // nanoseconds since the event before, zigzag
  Bytes contexts;
  Bytes objects;   // born from the one meant on, with it; nothing for a birth, a gap or a discard
  Bytes addresses; // difference from the last address stored, zigzag
  Bytes sizes;
  Bytes details;
};

class EventEncoder {
public:
  // `event.object` of an allocation is the next object's number; positions count from the chunk's first access.
  void add(const Event &event);
  uint32_t count() const { return static_cast<uint32_t>(columns_.kinds.size()); }

  // The chunk's columns; the encoder begins a new chunk, in which `next_object` is the first to be born.
  EventColumns finish(uint64_t next_object);

private:
  EventColumns columns_;
  Event before_;
  uint64_t next_object_ = 1;
};

// Where a chunk stands in the trace.
struct ChunkStart {
  uint64_t access = 0;
  uint64_t event = 0;
  uint64_t object = 1; // the next to be born
};

// False where these are not the columns of `count` events among `accesses` accesses.
bool decode_events(const EventColumns &columns, uint32_t count, uint32_t accesses,
                   const ChunkStart &start, std::vector<Event> &events);

} // namespace abut::trace
