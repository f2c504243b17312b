// The sets of a plain cache: least recently used, and at most 16 ways. All ways of a set are compared at once, by vector
// instructions where there are any. Two ways to do it, for two kinds of machine.
#pragma once

#include "base/units.hpp"
#include "sim/cache/line_request.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace abut::sim {

// What left sets, by the side that had brought it.
struct Left {
  uint64_t all = 0;
  uint64_t dirty = 0;
  uint64_t of_allocator = 0;
  uint64_t dirty_of_allocator = 0;
};

// Which set a line belongs to.
class SetIndex {
public:
  explicit SetIndex(uint64_t sets) : sets_(sets), masked_(is_power_of_two(sets)) {}

  uint64_t set_of(uint64_t line) const { return masked_ ? line & (sets_ - 1) : line % sets_; }

private:
  uint64_t sets_;
  bool masked_;
};

class PlainSets {
public:
  static constexpr uint32_t kMostWays = 16;

  // The fastest that the machine can run.
  static std::unique_ptr<PlainSets> make(uint64_t sets, uint32_t ways);

  PlainSets() = default;
  PlainSets(const PlainSets &) = delete;
  PlainSets &operator=(const PlainSets &) = delete;
  virtual ~PlainSets() = default;

  // Runs requests in order. What goes on to the next level is put into `handed`, which has room for twice as many;
  // `missed`: for each, whether it asked for a line that was not there. Answers how many were handed on.
  virtual size_t run(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
                     Left &left) = 0;
};

} // namespace abut::sim
