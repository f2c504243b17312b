// The objects of a trace, one row each, gathered from its events and, on request, its accesses.
//
// It takes some sixty bytes an object, however long the trace is.
#pragma once

#include "trace/reader.hpp"

#include <cstdint>
#include <vector>

namespace abut::trace {

// Columns; row 0 is object 1. What lies in a damaged chunk is missing: an object whose birth is lost has no size.
struct ObjectTable {
  static constexpr uint64_t kNever = UINT64_MAX;

  std::vector<uint64_t> size; // at birth
  std::vector<uint64_t> last_size;
  std::vector<uint64_t> address; // at birth, where it was recorded
  std::vector<uint64_t> align;
  std::vector<uint32_t> context;
  std::vector<uint32_t> thread;
  std::vector<uint64_t> born;    // nanoseconds
  std::vector<uint64_t> died;    // kNever: alive at the end
  std::vector<uint64_t> born_at; // accesses of the trace before that
  std::vector<uint64_t> died_at;
  std::vector<uint64_t> resizes;
  std::vector<uint64_t> reads; // by the program; 0 where accesses were not requested
  std::vector<uint64_t> writes;
  std::vector<uint64_t> allocator_accesses;

  size_t count() const { return size.size(); }
};

enum class Count : uint8_t { events, accesses };

// The reader keeps a list of the damage that is met.
ObjectTable read_objects(Reader &reader, Count what);

} // namespace abut::trace
