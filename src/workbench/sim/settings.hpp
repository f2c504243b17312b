// What a cache is: its shape, and how it behaves. A TLB is a cache whose lines are pages.
#pragma once

#include "trace/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace abut::sim {

enum class Policy : uint8_t { lru, fifo, plru, random, rrip };
enum class Prefetch : uint8_t { none, next_line, stride, stream };
// How a level's lines relate to those of the levels above it.
enum class Inclusion : uint8_t {
  neither,
  inclusive, // what leaves it leaves the levels above, too
  exclusive, // it holds only what left the levels above
};
enum class Serves : uint8_t { all, application, allocator };

struct LevelSettings {
  std::string name;
  std::string below;     // the level that it asks; empty: memory
  uint64_t capacity = 0; // bytes
  uint32_t line = 64;    // bytes
  uint32_t sector = 0;   // bytes; 0: a line is one sector
  uint32_t ways = 0;     // 0: fully associative
  Policy policy = Policy::lru;
  bool write_back = true;     // else write-through
  bool write_allocate = true; // else a write that misses brings no line
  Inclusion inclusion = Inclusion::neither;
  bool per_thread = false; // each thread has one of its own
  Serves serves = Serves::all;
  Prefetch prefetch = Prefetch::none;
  uint32_t degree = 1;   // lines that are prefetched at a time
  uint32_t latency = 32; // references that a prefetched line needs to arrive
  uint64_t seed = 1;     // of the random policy
  bool classify = false; // tell compulsory, capacity and conflict misses apart

  uint64_t lines() const { return capacity / line; }
  uint32_t ways_in_set() const { return ways == 0 ? static_cast<uint32_t>(lines()) : ways; }
  uint64_t sets() const { return ways == 0 ? 1 : lines() / ways; }
  uint32_t sector_bytes() const { return sector == 0 ? line : sector; }
};

// The level of this name, or null.
const LevelSettings *find(const std::vector<LevelSettings> &levels, const std::string &name);
// Whether no other level asks it.
bool is_top(const std::vector<LevelSettings> &levels, const LevelSettings &level);

// What is wrong with them, if anything: shapes that cannot be, names that are not there, circles.
std::optional<trace::Error> check(const std::vector<LevelSettings> &levels);

// A level of the same lines, sets and users by itself, with nothing else that it was set to; an error where that cannot be.
trace::Result<LevelSettings> shape_of(const LevelSettings &level);

inline constexpr uint64_t kMostLines = uint64_t{1} << 28;
inline constexpr uint32_t kMostWays = 4096; // of a policy that has to look at all ways of a set
inline constexpr uint32_t kLeastLine = 16;  // bytes
inline constexpr uint32_t kLongestLine = uint32_t{1} << 30;
inline constexpr uint32_t kMostSectors = 8;
inline constexpr size_t kMostLevels = 32;
inline constexpr uint32_t kMostDegree = 64;

} // namespace abut::sim
