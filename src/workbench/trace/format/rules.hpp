// How the accesses of a chunk are encoded: by rules, in groups.
//
// A *site* is a place in the code that makes accesses of one size and kind. A *rule* foretells an access of a site from
// the last access of the same site, or from one that lies some accesses back:
//
//   object = object there + object step
//   offset = offset there + offset step
//
// A step that varies stands in a column, as the difference from the least value that its width allows. A *group* is a
// list of rules: what a run of code without a branch did. It has a number of two bytes, and for the most part that number is
// all that is stored of its accesses.
#pragma once

#include "trace/events.hpp"
#include "trace/format/bytes.hpp"

#include <cstdint>
#include <vector>

namespace abut::trace {

inline constexpr uint32_t kWindow = 64;          // how far back a rule may look, in accesses
inline constexpr uint32_t kMostInGroup = 32;     // rules
inline constexpr uint32_t kMostGroups = 1 << 16; // of a chunk

// An access's write and side as one number, as batches have it.
inline constexpr uint8_t kWrite = 1;
inline constexpr uint8_t kAllocator = 2;
inline constexpr uint8_t kKinds = 4;

constexpr uint8_t kind_of(bool write, Side side) {
  return static_cast<uint8_t>((write ? kWrite : 0) | (side == Side::allocator ? kAllocator : 0));
}

// An object and an offset in it: they are computed with together.
using Place = uint64_t __attribute__((vector_size(16)));

// Bytes of a number that stands in a column: 0 where the rule holds it.
enum class Width : uint8_t { none, one, two, three, four, eight };

constexpr uint32_t bytes_of(Width width) {
  return width == Width::eight ? 8 : static_cast<uint32_t>(width);
}
// The bits that a column of this width can hold.
constexpr uint64_t bits_of(Width width) {
  return width == Width::none ? 0 : ~uint64_t{0} >> (64 - 8 * bytes_of(width));
}
// The least step that is stored in a column of this width.
constexpr uint64_t least_of(Width width) {
  const bool all = width == Width::none || width == Width::eight;
  return all ? 0 : 0 - (uint64_t{1} << (8 * bytes_of(width) - 1));
}
// The narrowest column that holds a step of either sign.
constexpr Width narrowest(uint64_t step) {
  for (const Width width : {Width::one, Width::two, Width::three, Width::four})
    if (step - least_of(width) <= bits_of(width)) return width;
  return Width::eight;
}

struct Site {
  uint64_t code = 0; // the instruction's address; 0: not recorded
  uint32_t size = 0; // bytes
  uint8_t kind = 0;
  uint8_t source = 0; // as an access's

  bool operator==(const Site &) const = default;
};

struct Rule {
  uint32_t site = 0;
  uint32_t back = 0; // accesses; 0: the last one of the site
  Width object_width = Width::none;
  Width offset_width = Width::none;
  uint64_t object_step = 0; // or the least
  uint64_t offset_step = 0;

  bool operator==(const Rule &) const = default;
};

// Groups as one list of rules' numbers, and where in it each group ends.
struct Groups {
  std::vector<uint32_t> rules;
  std::vector<uint32_t> ends;
};

// Without their codes, where those are not to be kept.
void put_sites(Bytes &bytes, const std::vector<Site> &sites, bool with_codes);
void put_rules(Bytes &bytes, const std::vector<Rule> &rules);
void put_groups(Bytes &bytes, const Groups &groups);

// False where the bytes are not what they should be, or name what there is not.
bool get_sites(ByteView bytes, std::vector<Site> &sites);
bool get_rules(ByteView bytes, size_t sites, std::vector<Rule> &rules);
bool get_groups(ByteView bytes, size_t rules, Groups &groups);

} // namespace abut::trace
