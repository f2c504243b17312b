#include "group/grouping.hpp"

#include "base/bump.hpp"
#include "base/options.hpp"

#include <mutex>

namespace abut::group {

bool on = false;
std::atomic<Address> quiet_sites[kQuietSites];

namespace {

constexpr uint32_t kRarely =
    63 << 6; // of each 4096 births 64 in a row, so that friends are noted together
constexpr uint64_t kGrowth = 4;
constexpr size_t kPagesToJudge = 16;
constexpr uint64_t kNever = ~uint64_t{0};

enum class Use : uint8_t { pools, forwarded, padded };

struct Limits {
  uint32_t objects = 100;
  uint32_t bytes = 128;
  Merging merging = Merging::born;
  Use use = Use::pools;
} limits;

PoolId pools_made = 0;

// Of all groups that share it.
void set_pool(Group &root, PoolId pool) {
  shape_graph.each_member(
      root, [&](Group &member) { member.pool.store(pool, std::memory_order_relaxed); });
}

// The site's objects take the straight path from now on. Of two at one place the later one does.
void be_quiet_at(Address site) {
  quiet_sites[site % kQuietSites].store(site, std::memory_order_relaxed);
}

void turn_off(Group &root, Reason reason) {
  set_pool(root, kNoPool);
  shape_graph.each_member(root, [&](Group &member) {
    member.reason = reason;
    if (member.leaf->depth == 1) be_quiet_at(member.leaf->return_address());
    member.rarely = kRarely;
    member.next_look = kNever;
  });
}

void give_pool(Group &root, ThreadPools &pools) {
  if (pools_made == kMostPools) return turn_off(root, Reason::no_room);
  const PoolId pool = ++pools_made;
  shape_graph.roots[pool] = root.id;
  pools.waits[pool] = limits.objects; // this thread has done its waiting
  shape_graph.each_member(root, [](Group &member) { member.reason = Reason::none; });
  set_pool(root, pool);
}

// Holes are filled before a pool takes a fresh page: one that is half empty nevertheless has sizes that do not fit, or
// has shrunk, and others could use its pages.
bool is_sparse(const Group &root) {
  const Occupancy found = occupancy(root);
  return found.pages >= kPagesToJudge && found.bytes < found.pages * kPageBytes / 2;
}

// Not only of those that were freed: a cell that another object has got since is as good a proof.
bool is_brief(const Group &group) { return group.scanned * 4 < group.sampled; }

void look(Group &group, heap::LocalHeap *heap, ThreadPools &pools) {
  if (!shape_graph.lock().try_lock()) return;
  std::lock_guard guard(shape_graph.lock(), std::adopt_lock);
  if (group.objects < group.next_look) return; // another thread looked meanwhile
  group.next_look *= kGrowth;
  shape_graph.look_at(group, heap, limits.merging);
  Group &root = shape_graph.root_of(group);
  if (root.is_off()) return turn_off(group, root.reason);
  const bool alone = group.root == group.id && group.next_member == 0;
  if (alone && is_brief(group)) {
    if (group.next_look > limits.objects * kGrowth) turn_off(group, Reason::brief);
    return;
  }
  shape_graph.each_member(group, [](Group &member) {
    if (member.objects >= limits.objects) member.rarely = kRarely;
  });
  if (root.pool.load(std::memory_order_relaxed) == kNoPool)
    give_pool(root, pools);
  else if (is_sparse(root))
    turn_off(root, Reason::sparse);
  else if (sampling && usage.is_thin(root.pool.load(std::memory_order_relaxed)))
    turn_off(root, Reason::sparse);
}

void note(Group &group, ThreadPools &pools, const void *block, size_t bytes) {
  const auto object = reinterpret_cast<Address>(block);
  if (bytes < group.smallest) group.smallest = static_cast<uint16_t>(bytes);
  if (bytes > group.largest) group.largest = static_cast<uint16_t>(bytes);
  births.note(object, {group.id, pools.births});
  group.samples[group.noted % Group::kSamples] = {object, pools.births};
  bump(group.noted);
}

void *take_for(const Group &group, heap::LocalHeap *heap, ThreadPools &pools, size_t bytes) {
  const PoolId pool = group.pool.load(std::memory_order_relaxed);
  if (pool == kNoPool || limits.use == Use::forwarded) return heap::allocate(bytes);
  const unsigned size =
      heap::SmallHeap::class_of(bytes) + static_cast<unsigned>(limits.use == Use::padded);
  return take(*heap_for(pools, heap, pool, limits.objects), size);
}

} // namespace

void *allocate(size_t bytes, context::Frame frame) {
  heap::LocalHeap *heap = heap::current;
  if (bytes > limits.bytes || bytes <= heap::kTinyMax || heap->number() == 0)
    return heap::allocate(bytes);
  Group *group = shape_graph.group_of(context::chain_table.find(frame), bytes);
  ThreadPools *pools = thread_pools(heap);
  if (group == nullptr || pools == nullptr) return heap::allocate(bytes);
  void *block = take_for(*group, heap, *pools, bytes);
  if (block == nullptr) return nullptr;
  bump(group->objects);
  bump(group->bytes, uint64_t{bytes});
  ++pools->births;
  if ((pools->births & group->rarely) == 0) [[unlikely]]
    note(*group, *pools, block, bytes);
  if (group->objects >= group->next_look) [[unlikely]]
    look(*group, heap, *pools);
  return block;
}

Occupancy occupancy(const Group &group) {
  Occupancy total;
  const PoolId pool = group.pool.load(std::memory_order_relaxed);
  if (pool == kNoPool) return total;
  heap::heap_registry.each([&](heap::LocalHeap &heap) {
    if (heap.is_side() && heap.side_number == pool) total.add(occupancy_of(heap));
  });
  return total;
}

void start() {
  on = option_value(Option::groups) != 0;
  limits.objects = static_cast<uint32_t>(option_value(Option::group_objects));
  shape_graph.first_look = limits.objects;
  limits.bytes = static_cast<uint32_t>(option_value(Option::group_bytes));
  limits.merging = static_cast<Merging>(option_value(Option::group_merge));
  limits.use = static_cast<Use>(option_value(Option::group_pools));
  if (!on) return;
  heap::heap_registry.take_first(shape_graph.lock());
  start_sampling();
  if (sampling) shape_graph.together = [](PoolId from, PoolId to) { return usage.after(from, to); };
}

} // namespace abut::group
