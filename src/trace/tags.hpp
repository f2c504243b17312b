// Tags: how the accesses of a chunk are told in little more than a byte each.
//
// An access is foretold from one that is some distance back in the same chunk:
//
//   object = object there + object step          (the step is 0 where it is the same object)
//   offset = offset there + offset step          (or the offset step alone, where the tag is not relative)
//
// A tag holds all this and the access's size and kind; what varies too much is left out of the tag and stands in a
// column of its own, as the difference from the least value that the tag allows.
#pragma once

#include "trace/bytes.hpp"
#include "trace/events.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace abut::trace {

inline constexpr size_t kMaxTags = 256;
// How far back a tag may reach. Before a chunk's first access there stand as many of object 0 and offset 0.
inline constexpr uint32_t kWindow = 4096;

// An access's write and side as one number, as batches have it.
inline constexpr uint8_t kWrite = 1;
inline constexpr uint8_t kAllocator = 2;
inline constexpr uint8_t kKinds = 4;

constexpr uint8_t kind_of(const Access &access) {
  return static_cast<uint8_t>((access.write ? kWrite : 0) |
                              (access.side == Side::allocator ? kAllocator : 0));
}

// Bytes of a number that stands in a column: 0 where the tag holds it.
enum class Width : uint8_t { none, one, two, four, eight };

constexpr uint32_t bytes_of(Width width) {
  return width == Width::none ? 0 : 1U << (static_cast<uint32_t>(width) - 1);
}

// The narrowest column that holds a step of either sign, and the least step that is told in it.
struct Column {
  Width width = Width::none;
  uint64_t least = 0;
};
Column narrowest(uint64_t step);

struct Tag {
  uint32_t distance = 0; // 0: in the column of distances
  bool relative = false;
  bool sized = true; // false: the size is in the column of sizes
  uint8_t kind = 0;
  uint32_t size = 0;
  Width object_width = Width::none;
  Width offset_width = Width::none;
  uint64_t object_step = 0; // or the least
  uint64_t offset_step = 0;

  bool operator==(const Tag &) const = default;
};

void put_tags(Bytes &bytes, const std::vector<Tag> &tags);

// False where the bytes are not a list of tags that can be.
bool get_tags(ByteView bytes, std::vector<Tag> &tags);

} // namespace abut::trace
