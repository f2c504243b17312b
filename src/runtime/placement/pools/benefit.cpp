#include "placement/pools/benefit.hpp"

#include "placement/pools/shape_graph.hpp"

namespace abut::group {

Occupancy occupancy(const Group &group) {
  Occupancy total;
  const PoolId pool = group.pool.load(std::memory_order_relaxed);
  if (pool == kNoPool) return total;
  heap::heap_registry.each([&](heap::LocalHeap &heap) {
    if (heap.is_side() && heap.side_number == pool) total.add(occupancy_of(heap));
  });
  return total;
}

namespace {

constexpr size_t kLeastPages = 16;

// Where one group is most of what is allocated, its objects lie together as it is: of all that was ever allocated.
bool is_dense(const Group &root) {
  uint64_t own = 0;
  uint64_t all = 0;
  shape_graph.each_member(root, [&](const Group &member) { own += member.bytes(); });
  for (GroupId id = 1; id <= shape_graph.count(); ++id) all += shape_graph.at(id).bytes();
  return own > all - all / 3;
}

// Where a wrapper's other callers ask for most, each of their requests would be looked up for the sake of a few.
bool is_rare(const Group &group) {
  if (group.leaf->depth == 1) return false;
  uint64_t all = 0;
  for (GroupId id = 1; id <= shape_graph.count(); ++id)
    if (const Group &other = shape_graph.at(id); other.site == group.site) all += other.objects;
  return group.objects * 2 < all;
}

} // namespace

Reason reason_against(Group &root, const Group &group) {
  if (is_dense(root)) return Reason::dense;
  if (is_rare(group)) return Reason::rare;
  return shape_graph.is_linked(root) ? Reason::none : Reason::unlinked;
}

bool is_sparse(const Group &root) {
  const Occupancy found = occupancy(root);
  return found.pages >= kLeastPages && found.bytes < found.pages * kPageBytes / 2;
}

bool is_short_lived(const Group &group) { return group.scanned * 4 < group.sampled; }

bool is_transient(Group &root, uint64_t enough) {
  uint64_t requested = 0;
  uint64_t objects = 0;
  shape_graph.each_member(root, [&](const Group &member) {
    requested += member.bytes();
    objects += member.objects;
  });
  return objects >= enough && occupancy(root).bytes * 8 < requested;
}

} // namespace abut::group
