// From an order of objects to their places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace abut::place {

inline constexpr uint64_t kGranule = 16; // bytes: places begin at multiples of it
inline constexpr uint64_t kNoPlace = UINT64_MAX;
inline constexpr uint32_t kNoSlot = UINT32_MAX;

// Which objects can share memory: a row's slot, from 0. An object takes, at its birth, the slot of its rounded size that
// was freed last, or a new one. `died`: how many were born when each died. Rows of size 0 have none.
std::vector<uint32_t> share_by_lifetime(std::span<const uint32_t> size,
                                        std::span<const uint32_t> died);

// The offset of each row if memory is used again as a heap would that knows what comes: an object takes, at its birth, the
// shortest hole that holds it, and what dies becomes one, joined with those beside it. Rows of size 0, and those that find
// no place below 64 GiB, have kNoPlace. No size is beyond kLargestSize. O(rows).
inline constexpr uint32_t kLargestSize = 1008;
std::vector<uint64_t> pack_over_time(std::span<const uint32_t> size,
                                     std::span<const uint32_t> died);

// The offset of each row: the rows of `order` one after another, or, where `slot` has a slot a row, in the slot that the
// first of its rows got. Rows that `order` does not name have kNoPlace. `begin` and `align` (a power of two) say where
// the first may lie and what all are multiples of.
std::vector<uint64_t> pack(std::span<const uint32_t> order, std::span<const uint32_t> size,
                           std::span<const uint32_t> slot, uint64_t begin, uint64_t align);

// Cyll's smart strategy (2004, section 4.9) for many objects: each, in the order given, goes to the set of the cache in
// which the least use by its friends meets it; a friend's own line is best. `edges` lead to friends.
// O(objects + edges); of each object's friends the kMostFriends that are tied most to it are looked at.
struct SetsOfCache {
  uint32_t sets = 64;
  uint32_t line = 64; // bytes
};
inline constexpr unsigned kMostFriends = 8;
std::vector<uint64_t> avoid_conflicts(std::span<const uint32_t> order,
                                      std::span<const uint32_t> size, const class Graph &graph,
                                      SetsOfCache cache);

} // namespace abut::place
