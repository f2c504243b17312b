#include "placement/pools/shape_graph.hpp"

#include "heap/heap.hpp"

#include <mutex>
#include <new>

namespace abut::group {

constinit ShapeGraph shape_graph;

namespace {

constexpr unsigned kSmallOnes = 64;  // groups that are scanned along with another
constexpr uint32_t kTogether = 6;    // births: as far apart as parts of one thing may be
constexpr unsigned kEnoughBorn = 12; // linked objects, to decide whether they are born together
constexpr unsigned kLeftOutLast = 2; // the youngest objects may not be linked yet

// So many of the scanned objects had the pointer that it is no accident.
bool strong(const Group &group, const Edge &edge) {
  return edge.count != 0 && edge.count * 4 >= group.scanned;
}

// So many quarters of the linked objects were.
bool born_together(const Group &group, const Edge &edge, int quarters) {
  return strong(group, edge) && edge.count >= kEnoughBorn &&
         edge.close * 4 >= edge.count * quarters;
}

// The first of the edges that leave merged groups at one offset for objects of one size.
struct First {
  GroupId from = 0, to = 0;
  uint16_t bytes = 0;
  uint8_t word = 0;
};

} // namespace

Group *ShapeGraph::add(context::Entry *leaf, size_t bytes, Address site) {
  if (leaf == context::chain_table.catch_all() || !lock_.try_lock()) return nullptr;
  std::lock_guard guard(lock_, std::adopt_lock);
  std::atomic<Group *> &known = by_leaf_[leaf->id];
  if (Group *group = known.load(std::memory_order_relaxed)) return group;
  if (count_ == kMostGroups) return nullptr;
  const auto id = static_cast<GroupId>(count_ + 1);
  Group *&chunk = chunks_[id / kChunk];
  if (chunk == nullptr)
    chunk = static_cast<Group *>(os::map(round_up(kChunk * sizeof(Group), kPageBytes)));
  if (chunk == nullptr) return nullptr;
  count_ = id;
  auto *made = new (&at(id)) Group;
  made->leaf = leaf;
  made->site = site;
  made->id = made->root = id;
  made->next_scan = first_scan;
  made->smallest = made->largest = static_cast<uint16_t>(bytes);
  made->next_alike = alike_[bytes];
  alike_[bytes] = id;
  known.store(made, std::memory_order_release);
  return made;
}

// Whose object lies at an address: known of those that were recorded, and of those in pools.
ShapeGraph::Target ShapeGraph::target_of(heap::LocalHeap *heap, Address address) {
  const heap::Extent block = heap::extent_of(heap, address);
  if (block.begin == 0) return {};
  const heap::LocalHeap *owner = heap::page_at(address)->owner;
  if (const Birth birth = births.find(block.begin); birth.group != 0 && birth.group <= count_)
    return {birth.group, birth.when, true};
  return {owner->is_side() ? roots[owner->side_number] : GroupId{0}, 0, false};
}

void ShapeGraph::scan_object(Group &group, heap::LocalHeap *heap, Address object, Birth birth) {
  const heap::Extent block = heap::extent_of(heap, object);
  if (block.begin != object) return;
  ++group.scanned;
  const size_t bytes = std::min<size_t>(block.end - block.begin, group.largest);
  for (unsigned word = 0; (word + 1) * sizeof(Address) <= bytes; ++word) {
    const Target target =
        target_of(heap, *reinterpret_cast<const Address *>(object + word * sizeof(Address)));
    if (target.group == 0) continue;
    Edge *edge = group.edges;
    Edge *const end = edge + group.edge_count;
    while (edge != end && (edge->to != target.group || edge->word != word)) ++edge;
    if (edge == end) {
      if (group.edge_count == Group::kEdges) continue;
      *edge = {target.group, static_cast<uint8_t>(word), 0, 0};
      ++group.edge_count;
    }
    ++edge->count;
    const uint32_t apart = target.when - birth.when + kTogether;
    edge->close += target.dated && apart <= 2 * kTogether;
  }
}

void ShapeGraph::scan(Group &group, heap::LocalHeap *heap) {
  group.edge_count = group.scanned = group.sampled = 0;
  group.scanned_at = group.objects;
  const uint32_t held = std::min<uint32_t>(group.recorded, Group::kSamples);
  const uint32_t left_out = held > kLeftOutLast ? kLeftOutLast : 0;
  for (uint32_t i = left_out; i < held; ++i) {
    const auto [object, when, by] = group.samples[(group.recorded - 1 - i) % Group::kSamples];
    if (by != heap->number()) continue; // only its own thread can read it
    const Birth birth = births.find(object);
    ++group.sampled;
    if (birth.group == group.id && birth.when == when) scan_object(group, heap, object, birth);
  }
  if (group.edge_count == 0 || group.has_edges) return;
  group.has_edges = true;
  with_edges_[with_edges_count_++] = group.id;
}

// The head of a list that was made elsewhere is of the list's type, too, though there is only one.
void ShapeGraph::scan_small_ones_like(const Group &group, heap::LocalHeap *heap) {
  unsigned seen = 0;
  for (GroupId id = alike_[group.smallest]; id != 0 && seen < kSmallOnes; id = at(id).next_alike) {
    Group &other = at(id);
    if (other.pool.load(std::memory_order_relaxed) != kNoPool || !other.of_one_type_with(group) ||
        other.objects == other.scanned_at || &other == &group)
      continue;
    ++seen;
    scan(other, heap);
  }
}

void ShapeGraph::scan_and_merge(Group &group, heap::LocalHeap *heap, Merging merging) {
  {
    std::lock_guard guard(heap->lock());
    scan(group, heap);
    if (merging != Merging::none) scan_small_ones_like(group, heap);
  }
  merge_alike(merging);
}

// Merging may make others alike: their edges now lead from, or to, one group.
void ShapeGraph::merge_alike(Merging merging) {
  if (merging == Merging::none) return;
  for (bool changed = true; changed;) {
    changed = false;
    changed |= any_with_edges([this](Group &group) { return merge_linked(group); });
    changed |= merge_pointed_at();
    if (merging != Merging::born) continue;
    changed |= any_with_edges([this](Group &group) { return merge_born(group); });
  }
}

void ShapeGraph::merge(Group &one, Group &other, Merge why) {
  Group *root = &root_of(one);
  Group *joining = &root_of(other);
  // The pool stays, the larger group's of two.
  const PoolId pool = joining->pool.load(std::memory_order_relaxed);
  const bool stays = root->pool.load(std::memory_order_relaxed) != kNoPool &&
                     (pool == kNoPool || root->objects >= joining->objects);
  if (!stays && pool != kNoPool) std::swap(root, joining);
  Group &reason = joining == &root_of(other) ? other : one;
  reason.merge = why;
  reason.merged_with = &reason == &other ? one.id : other.id;
  const PoolId left = joining->pool.load(std::memory_order_relaxed);
  if (left != kNoPool) roots[left] = root->id;
  Group *last = root;
  while (last->next_member != 0) last = &at(last->next_member);
  last->next_member = joining->id;
  for (Group *member = joining; member;) {
    member->root = root->id;
    member->reason = root->reason;
    member->pool.store(root->pool.load(std::memory_order_relaxed), std::memory_order_relaxed);
    member = member->next_member != 0 ? &at(member->next_member) : nullptr;
  }
}

bool ShapeGraph::is_linked(const Group &root) {
  bool linked = false;
  each_member(root, [&](const Group &member) {
    for (unsigned i = 0; i < member.edge_count; ++i)
      linked |= strong(member, member.edges[i]) && at(member.edges[i].to).root == root.id;
  });
  return linked;
}

bool ShapeGraph::merge_linked(Group &group) {
  bool merged = false;
  for (unsigned i = 0; i < group.edge_count; ++i) {
    Group &to = at(group.edges[i].to);
    if (to.root == group.root || to.is_off() || !strong(group, group.edges[i]) ||
        !group.of_one_type_with(to))
      continue;
    merge(to, group, Merge::linked);
    merged = true;
  }
  return merged;
}

// Of all edges that leave merged groups at one offset for objects of one size, the first stands for the others. A table of
// fixed size finds it: what it has no room for is left to another time.
bool ShapeGraph::merge_pointed_at() {
  static constexpr unsigned kSlots = 1024;
  static constinit First table[kSlots];
  for (First &first : table) first = {};
  return any_with_edges([&](Group &group) {
    bool merged = false;
    for (unsigned i = 0; i < group.edge_count; ++i) {
      const Edge &edge = group.edges[i];
      Group &to = at(edge.to);
      if (!strong(group, edge) || !to.of_one_size() || to.is_off()) continue;
      const GroupId from = group.root;
      First &first = table[(from * 977U + edge.word * 61U + to.smallest) % kSlots];
      if (first.to == 0) first = {from, edge.to, to.smallest, edge.word};
      if (first.from != from || first.bytes != to.smallest || first.word != edge.word) continue;
      if (at(first.to).root == to.root) continue;
      merge(at(first.to), to, Merge::pointed_at);
      merged = true;
    }
    return merged;
  });
}

// Parts of one thing are born together. Where sampled accesses show that pools are used together, less evidence will do;
// where they show the opposite, none will.
bool ShapeGraph::belong_together(const Group &group, const Edge &edge) {
  Together used = Together::unknown;
  if (together != nullptr)
    used = together(group.pool.load(std::memory_order_relaxed),
                    at(edge.to).pool.load(std::memory_order_relaxed));
  switch (used) {
  case Together::seldom: return false;
  case Together::mostly: return born_together(group, edge, 2);
  case Together::unknown: break;
  }
  return born_together(group, edge, 3);
}

bool ShapeGraph::merge_born(Group &group) {
  bool merged = false;
  for (unsigned i = 0; i < group.edge_count; ++i) {
    Group &to = at(group.edges[i].to);
    if (to.root == group.root || to.is_off() || !belong_together(group, group.edges[i])) continue;
    merge(group, to, Merge::born);
    merged = true;
  }
  return merged;
}

} // namespace abut::group
