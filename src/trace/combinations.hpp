// The different ways in which a chunk's accesses were told, each with how often, and the choice of tags for them.
#pragma once

#include "trace/access_columns.hpp"
#include "trace/tags.hpp"

#include <cstdint>
#include <vector>

namespace abut::trace {

// An access as told from an earlier one. A step that will hardly come again is left open: then it is told apart from
// the combination, and this has only the column that it goes into.
struct Combination {
  uint32_t distance = 1;
  uint32_t size = 0;
  uint64_t object_step = 0;
  uint64_t offset_step = 0;
  uint8_t kind = 0;
  bool relative = false;
  Width object_width = Width::none;
  Width offset_width = Width::none;

  bool open() const { return object_width != Width::none || offset_width != Width::none; }
  bool operator==(const Combination &) const = default;
};

// What was left open, in the order of the accesses.
struct OpenSteps {
  std::vector<uint64_t> objects;
  std::vector<uint64_t> offsets;
};

class Combinations {
public:
  Combinations();

  // The number of this combination, from 1.
  uint32_t number_of(const Combination &combination);

  const Combination &operator[](uint32_t number) const { return all_[number]; }
  uint32_t count() const { return static_cast<uint32_t>(all_.size()); }

  // Writes the dictionary, and the columns of the accesses whose combinations are in `chosen`.
  void encode(const std::vector<uint32_t> &chosen, const OpenSteps &open,
              AccessColumns &columns) const;

  void clear();

private:
  void grow();
  size_t slot_of(const Combination &combination) const;

  std::vector<Combination> all_;
  std::vector<uint32_t> slots_; // open addressing; 0: free
};

} // namespace abut::trace
