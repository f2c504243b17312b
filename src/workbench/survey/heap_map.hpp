// The heap as a picture: time from left to right, addresses from top to bottom, and in each tile who was there.
//
// Memory is bounded, whatever the trace: rows begin as lines, and as soon as there are too many, two neighbours
// become one. Only addresses that were touched have rows, so gaps cost nothing.
#pragma once

#include "sim/reference.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace abut::report {

using sim::Owner;
using sim::Side;

struct Tile {
  uint64_t accesses = 0;
  uint64_t allocator = 0; // of these, the allocator's
  uint64_t ages = 0;      // the sum of the ages' binary logarithms; ages are counted in accesses
  // Who has most of the accesses, by majority vote (Boyer and Moore, 1981): sure where one has more than half.
  Owner owner = 0;
  uint64_t votes = 0;

  void add(const Tile &other);
};

struct Spot {
  uint32_t column = 0;
  uint64_t address = 0; // bytes
  Owner owner = 0;
  Side side = Side::application;
  uint32_t age_log = 0; // the binary logarithm of the object's age in accesses
};

// Rows by address, tiles by row and then by column.
struct Picture {
  struct Row {
    uint64_t address = 0; // of its first byte
    uint64_t bytes = 0;   // to the end of its last granule, gaps included
    uint64_t touched = 0; // bytes of its granules
  };
  uint32_t columns = 0;
  uint64_t granule = 0; // resolution in bytes
  std::vector<Row> rows;
  std::vector<Tile> tiles;
};

class HeapMap {
public:
  HeapMap(uint32_t columns, uint32_t most_rows);

  void add(const Spot &spot);

  // With at most so many rows, unless there are more gaps than that.
  Picture picture(uint32_t most_rows) const;

private:
  static constexpr unsigned kLineShift = 6;
  static constexpr size_t kRecent = 1024;
  // Bytes between two granules that begin a new row.
  static constexpr uint64_t kGap = uint64_t{1} << 22;

  struct Known {
    uint64_t granule = UINT64_MAX;
    uint32_t row = 0;
  };

  uint32_t row_of(uint64_t granule);
  void coarsen();
  std::vector<uint64_t> sorted() const;

  uint32_t columns_;
  uint32_t most_rows_;
  unsigned shift_ = kLineShift;
  std::unordered_map<uint64_t, uint32_t> rows_;
  std::vector<Tile> tiles_;
  std::array<Known, kRecent> recent_;
};

} // namespace abut::report
