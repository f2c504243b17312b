// The storage shape graph: which groups' objects point at which groups', found in the objects themselves.
//
// DPA's (section 3.2) comes from a points-to analysis of the program; here a sample of a group's objects is read, and
// a word that leads to a block whose group is known is an edge. Variables, which no rule of the paper's asks for, have no
// node.
#pragma once

#include "placement/place.hpp"
#include "placement/pools/born.hpp"
#include "placement/pools/group.hpp"
#include "placement/pools/usage.hpp"

namespace abut::group {

class ShapeGraph {
public:
  // The group of a context, made at its first object; null where there are too many. `bytes` is that object's size, and
  // `site` the return address of the call for it.
  Group *group_of(context::Entry *leaf, size_t bytes, Address site) {
    Group *known = by_leaf_[leaf->id].load(std::memory_order_acquire);
    return known != nullptr ? known : add(leaf, bytes, site);
  }

  // Reads the group's sample, and those of small groups of its size, and merges what belongs together. Of objects of
  // `heap`'s thread, which calls this; takes its lock. Under the graph's lock.
  void scan_and_merge(Group &group, heap::LocalHeap *heap, Merging merging);

  // Merges the groups that their edges show to be alike: what scan_and_merge() does with what it has read.
  void merge_alike(Merging merging);

  Group &root_of(const Group &group) { return at(group.root); }
  Group &at(GroupId id) { return chunks_[id / kChunk][id % kChunk]; }
  GroupId count() const { return count_; }

  // Calls `visit(Group &)` for the group and all that share its pool.
  template <class Visit>
  void each_member(const Group &group, Visit visit) {
    for (GroupId id = group.root; id != 0; id = at(id).next_member) visit(at(id));
  }

  // Whether objects of the groups that share a pool point at each other.
  bool is_linked(const Group &root);

  // Objects, after which a group is scanned first; zero before start, so that the table costs no memory.
  uint64_t first_scan = 0;

  // Whether two pools are accessed together; null where accesses are not sampled.
  Together (*together)(PoolId from, PoolId to) = nullptr;

  // The root of the groups that use a pool.
  GroupId roots[kMostPools + 1] = {};

  os::SpinLock &lock() { return lock_; }

private:
  struct Target {
    GroupId group = 0;
    uint32_t when = 0;
    bool dated = false;
  };

  Group *add(context::Entry *leaf, size_t bytes, Address site);
  void scan(Group &group, heap::LocalHeap *heap);
  void scan_object(Group &group, heap::LocalHeap *heap, Address object, Birth birth);
  Target target_of(heap::LocalHeap *heap, Address address);
  void scan_small_ones_like(const Group &group, heap::LocalHeap *heap);
  bool merge_linked(Group &group);
  bool merge_pointed_at();

  // Calls `visit(Group &)`, which says whether it merged anything, for every group that has edges; whether any did.
  template <class Visit>
  bool any_with_edges(Visit visit) {
    bool any = false;
    for (GroupId i = 0; i < with_edges_count_; ++i)
      if (Group &group = at(with_edges_[i]); group.can_merge()) any |= visit(group);
    return any;
  }
  bool belong_together(const Group &group, const Edge &edge);
  bool merge_born(Group &group);
  void merge(Group &one, Group &other, Merge why);

  os::SpinLock lock_;
  GroupId count_ = 0;
  static constexpr GroupId kChunk = 64;
  Group *chunks_[kMostGroups / kChunk + 1] = {}; // the first group is none
  std::atomic<Group *> by_leaf_[1 << 16];
  GroupId alike_[kPlacedMost + 1] =
      {}; // the first of the groups whose first object had so many bytes
  GroupId with_edges_[kMostGroups] = {}; // groups that had edges when they were read
  GroupId with_edges_count_ = 0;
};

extern constinit ShapeGraph shape_graph;

} // namespace abut::group
