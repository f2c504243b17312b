// A group: the objects that one context allocates, as far as they are small enough to share lines.
//
// After Dynamic Pool Allocation (Wang, Wu, Yew 2010): groups are the nodes of the storage shape graph (section 3.2),
// and one that has grown beyond a threshold gets a pool (section 3.3).
#pragma once

#include "context/chain_table.hpp"
#include "placement/pools/pools.hpp"

namespace abut::group {

using GroupId = uint16_t; // counted from 1; zero is none
inline constexpr GroupId kMostGroups = 8192;

// Why a group shares the pool of another.
enum class Merge : uint8_t {
  none,
  linked,     // type-I affinity: of one size, and one points at the other
  pointed_at, // type-II: of one size, and pointed at by the same group at the same offset
  born,       // of different sizes, linked, and born together: a node and what it carries
};

// Why a group has no pool, or no longer has one.
enum class Reason : uint8_t {
  none,
  few,   // objects
  dense, // most of what the program allocates is of the group, so that it lies together anyway
  unlinked, // the objects do not point at each other: a traversal comes from elsewhere and goes elsewhere
  rare,        // at its site, whose other requests are more: each would have to be looked up
  short_lived, // most objects are freed soon
  no_room,     // for yet another pool
  sparse,      // the pool was half empty
};

// Objects of the group hold, `word` words from their beginning, pointers into objects of group `to`.
struct Edge {
  GroupId to = 0;
  uint8_t word = 0;
  uint8_t count = 0; // of the objects that were scanned
  uint8_t close =
      0; // of those: linked objects that were born within a few allocations of each other
};

struct Group {
  static constexpr unsigned kEdges = 12;
  static constexpr unsigned kSamples = 64;

  // ---- what each request reads ----

  std::atomic<PoolId> pool{kNoPool};
  uint32_t record_mask = 0; // an object is recorded when these bits of its thread's clock are zero
  uint64_t objects = 0;     // allocated, ever
  uint64_t next_scan = 0;   // at this number of objects

  // ---- its place in the graph; under the lock ----

  context::Entry *leaf = nullptr;
  Address site = 0; // the return address of its first object's call
  GroupId id = 0;
  GroupId root = 0;        // of the groups that share a pool; itself if none do
  GroupId next_member = 0; // of those, in no order
  GroupId next_alike = 0;  // of those whose first object had as many bytes
  bool has_edges = false;  // and is among the graph's that have
  Merge merge = Merge::none;
  GroupId merged_with = 0; // the one whose objects gave the reason
  Reason reason = Reason::few;

  uint16_t smallest = 0; // bytes of an object, as asked for
  uint16_t largest = 0;
  uint8_t edge_count = 0;
  uint8_t scanned =
      0; // objects, when the edges were found: those of the sample that were still live
  uint8_t sampled = 0;     // all of the sample that the thread made
  uint64_t scanned_at = 0; // objects there were then
  Edge edges[kEdges];

  // The objects that were recorded last, in a ring.
  uint32_t recorded = 0;
  uint64_t recorded_bytes = 0; // of all that were recorded, ever
  struct Sample {
    Address object;
    uint32_t when;
    uint32_t heap; // of the thread that asked, by its number
  } samples[kSamples];

  // Of all its objects, about: those that were recorded stand for the others.
  uint64_t bytes() const { return recorded == 0 ? 0 : objects * recorded_bytes / recorded; }

  bool is_off() const {
    return reason == Reason::no_room || reason == Reason::sparse || reason == Reason::short_lived;
  }
  bool can_merge() const { return edge_count != 0 && !is_off(); }
  bool of_one_size() const { return smallest == largest; }

  // DPA takes objects of one size for objects of one type.
  bool of_one_type_with(const Group &other) const {
    return of_one_size() && other.of_one_size() && smallest == other.smallest;
  }
};

} // namespace abut::group
