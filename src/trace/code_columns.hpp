// The code addresses of a chunk's accesses: a list of the different ones, and for each access its place in the list.
#pragma once

#include "trace/bytes.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace abut::trace {

struct CodeColumns {
  static constexpr size_t kPlanes = 3; // the bytes of a place, the lowest first
  static constexpr size_t kMost = size_t{1} << (8 * kPlanes);

  Bytes list; // zigzag varints, each the difference from the one before
  std::array<Bytes, kPlanes> planes;

  bool empty() const { return list.empty(); }
};

class CodeEncoder {
public:
  void add(uint64_t code);
  bool empty() const { return places_.empty(); }
  CodeColumns finish();

private:
  std::unordered_map<uint64_t, uint32_t> place_of_;
  std::vector<uint64_t> list_;
  std::vector<uint32_t> places_; // of each access
};

class CodeDecoder {
public:
  // Columns without a list are those of accesses without codes: all are 0. False where they cannot be of `count`.
  bool begin(uint32_t count, const CodeColumns &columns);

  // Those of accesses from `first`; false where one is not in the list.
  bool decode(uint32_t first, uint32_t count, uint64_t *codes) const;

private:
  const CodeColumns *columns_ = nullptr;
  std::vector<uint64_t> list_;
};

} // namespace abut::trace
