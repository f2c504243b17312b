#include "placement/pools/grouping.hpp"

#include "base/bump.hpp"
#include "base/options.hpp"

#include <mutex>

namespace abut::group {

Formation formation;

namespace {

constexpr uint32_t kRecordMask =
    63 << 6; // of each 4096 births 64 in a row, so that friends are recorded together
constexpr uint64_t kGrowth = 4;
constexpr uint32_t kRequests = 2048;
constexpr uint64_t kNever = ~uint64_t{0};

uint32_t threshold = 100; // objects of a group with a pool
PoolId pools_made = 0;
constinit SiteLimits limits_of_others; // sites that a profile assigns no pool

// Threads choose again.
void invalidate_choices() { formation.epoch.fetch_add(1, std::memory_order_relaxed); }

// Of all groups that share it.
void set_pool(Group &root, PoolId pool) {
  shape_graph.each_member(
      root, [&](Group &member) { member.pool.store(pool, std::memory_order_relaxed); });
}

// No object of the site will have a pool.
void set_quiet(Address address) {
  if (sites::Site *site = sites::table.claim(address))
    site->is_quiet.store(true, std::memory_order_relaxed);
}

void set_pooled(Address address) {
  if (sites::Site *site = sites::table.claim(address))
    site->is_pooled.store(true, std::memory_order_relaxed);
}

void turn_off(Group &root, Reason reason) {
  set_pool(root, kNoPool);
  shape_graph.each_member(root, [&](Group &member) {
    member.reason = reason;
    if (member.leaf->depth == 1) set_quiet(member.leaf->return_address());
    member.record_mask = kRecordMask;
    member.next_scan = kNever;
  });
}

void give_pool(Group &root, ThreadPools &pools) {
  if (pools_made == kMostPools) return turn_off(root, Reason::no_room);
  const PoolId pool = ++pools_made;
  shape_graph.roots[pool] = root.id;
  pools.pending[pool] = threshold; // this thread has allocated enough
  shape_graph.each_member(root, [](Group &member) { member.reason = Reason::none; });
  set_pool(root, pool);
}

// Whether a pool promises a benefit, by what a few hundred objects show.
bool is_promising(Group &root, const Group &group) {
  if (place_in_force.pools == Pools::every) return true;
  if (group.objects < threshold * kGrowth) return false;
  const Reason reason = reason_against(root, group);
  shape_graph.each_member(root, [&](Group &member) { member.reason = reason; });
  return reason == Reason::none;
}

// Gives a group a pool, or takes it away, by the evidence at this time.
void settle(Group &group, ThreadPools &pools) {
  Group &root = shape_graph.root_of(group);
  if (root.is_off()) return turn_off(group, root.reason);
  const bool alone = group.root == group.id && group.next_member == 0;
  if (alone && is_short_lived(group)) {
    if (group.next_scan > threshold * kGrowth) turn_off(group, Reason::short_lived);
    return;
  }
  shape_graph.each_member(group, [](Group &member) {
    if (member.objects >= threshold) member.record_mask = kRecordMask;
  });
  if (root.pool.load(std::memory_order_relaxed) == kNoPool) {
    if (is_promising(root, group)) give_pool(root, pools);
  } else if (place_in_force.pools == Pools::promising &&
             is_transient(root, threshold * kGrowth * kGrowth)) {
    turn_off(root, Reason::short_lived);
  } else if (is_sparse(root) ||
             (sampling && usage.is_thin(root.pool.load(std::memory_order_relaxed)))) {
    turn_off(root, Reason::sparse);
  }
}

// Marks the sites of groups that have pools; whether there are any. Under the graph's lock.
bool find_pooled_sites() {
  bool any = false;
  // Of groups that share a site, one with a pool is enough.
  for (GroupId id = 1; id <= shape_graph.count(); ++id)
    if (sites::Site *site = sites::table.find(shape_graph.at(id).site))
      site->is_pooled.store(false, std::memory_order_relaxed);
  for (GroupId id = 1; id <= shape_graph.count(); ++id)
    if (shape_graph.at(id).pool.load(std::memory_order_relaxed) != kNoPool) {
      set_pooled(shape_graph.at(id).site);
      any = true;
    }
  invalidate_choices();
  sites::table.reset(sites::SiteTable::Which::what_may_change);
  return any;
}

void rescan(Group &group, heap::LocalHeap *heap, ThreadPools &pools) {
  if (!shape_graph.lock().try_lock()) return;
  std::lock_guard guard(shape_graph.lock(), std::adopt_lock);
  if (group.objects < group.next_scan) return; // another thread has scanned it meanwhile
  group.next_scan *= kGrowth;
  shape_graph.scan_and_merge(group, heap, place_in_force.merging);
  settle(group, pools);
  if (formation.is_on.load(std::memory_order_relaxed))
    invalidate_choices();
  else
    find_pooled_sites();
}

void record(Group &group, ThreadPools &pools, const void *block, size_t bytes) {
  const auto object = reinterpret_cast<Address>(block);
  if (bytes < group.smallest) group.smallest = static_cast<uint16_t>(bytes);
  if (bytes > group.largest) group.largest = static_cast<uint16_t>(bytes);
  births.record(object, {group.id, pools.births});
  group.samples[group.recorded % Group::kSamples] = {object, pools.births, heap::current->number()};
  bump(group.recorded);
  bump(group.recorded_bytes, uint64_t{bytes});
}

bool holds(const PoolChoice &choice) {
  return choice.epoch == formation.epoch.load(std::memory_order_relaxed) &&
         choice.generation == context::chain_table.generation();
}

// Counts an object; whether the slow path is due, as it seldom is.
[[gnu::always_inline]] inline bool count(Group &group, ThreadPools &pools) {
  bump(group.objects);
  ++pools.births;
  return (pools.births & group.record_mask) == 0 || group.objects >= group.next_scan;
}

// What the thread chose for a site or a chain before; null where that no longer holds.
[[gnu::always_inline]] inline const PoolChoice *choice_of(Address key, ThreadPools &pools) {
  const auto &kept = pools.kept_for(key);
  return kept.key == key && holds(kept.choice) ? &kept.choice : nullptr;
}

// Where the group's objects go; without a heap while the thread has allocated too few to open the pool.
PoolChoice choice_for(Group &group, heap::LocalHeap *heap, const ThreadPools &pools) {
  const PoolId pool = group.pool.load(std::memory_order_relaxed);
  return {.group = &group, .heap = pool == kNoPool ? heap : pools.heaps[pool]};
}

void stop_forming() {
  if (!shape_graph.lock().try_lock()) return;
  std::lock_guard guard(shape_graph.lock(), std::adopt_lock);
  formation.requests_left.store(0, std::memory_order_relaxed);
  formation.is_on.store(false, std::memory_order_relaxed);
  if (!find_pooled_sites()) disable(Policy::pools);
}

[[gnu::noinline]] void *count_slow(size_t bytes, void *block, Group &group, ThreadPools &pools) {
  if (count_request()) stop_forming();
  if ((pools.births & group.record_mask) == 0) record(group, pools, block, bytes);
  if (group.objects >= group.next_scan) rescan(group, heap::current, pools);
  return block;
}

[[gnu::always_inline]] inline void *counted(size_t bytes, void *block, Group &group,
                                            ThreadPools &pools) {
  if (count(group, pools) || is_counting()) [[unlikely]]
    return count_slow(bytes, block, group, pools);
  return block;
}

[[gnu::noinline]] void *take_counted(const PoolChoice &choice, size_t bytes, ThreadPools &pools) {
  void *block = take(*choice.heap, heap::small_class(bytes));
  return block != nullptr ? counted(bytes, block, *choice.group, pools) : nullptr;
}

// What the profile has for a chain: its group, which has a pool; or no group. False where another thread holds the lock.
bool find_assigned(context::Entry *leaf, context::Frame frame, size_t bytes, Group *&group) {
  PoolId pool = kNoPool;
  {
    if (!assigned_contexts.lock().try_lock()) return false;
    std::lock_guard guard(assigned_contexts.lock(), std::adopt_lock);
    pool = assigned_contexts.of(frame).pool;
    if (pool == kNoPool) {
      if (!assigned_contexts.any_begins_at(*frame.sp)) set_quiet(*frame.sp);
      return true;
    }
  }
  group = shape_graph.group_of(leaf, bytes, *frame.sp);
  if (group == nullptr) return false;
  if (group->pool.exchange(pool, std::memory_order_relaxed) == pool) return true;
  group->reason = Reason::none;
  group->record_mask = kRecordMask;
  group->next_scan = kNever;
  set_pooled(group->site);
  invalidate_choices();
  return true;
}

// For a chain for which the thread has no choice that holds.
[[gnu::noinline]] void *allocate_slow(context::Entry *leaf, Address key, context::Frame frame,
                                      size_t bytes, heap::LocalHeap *heap, ThreadPools &pools) {
  const uint32_t now = formation.epoch.load(std::memory_order_relaxed);
  const uint16_t generation = context::chain_table.generation();
  Group *group = nullptr;
  if (place_in_force.pools != Pools::assigned) {
    group = shape_graph.group_of(leaf, bytes, *frame.sp);
  } else if (find_assigned(leaf, frame, bytes, group) && group == nullptr) {
    pools.kept_for(key) = {key, {.epoch = now, .generation = generation}};
  }
  if (group == nullptr) return heap::allocate(bytes);
  PoolChoice choice = choice_for(*group, heap, pools);
  if (choice.heap == nullptr) {
    choice.heap = heap_for(pools, heap, group->pool.load(std::memory_order_relaxed), threshold);
  } else if (leaf->kind.load(std::memory_order_relaxed) != context::EntryKind::loader) {
    // What the dynamic linker allocates is always looked up: only then are modules that are gone noticed.
    choice.epoch = now;
    choice.generation = generation;
    pools.kept_for(key) = {key, choice};
  }
  return take_counted(choice, bytes, pools);
}

// For sites in wrappers, whose call chain decides.
[[gnu::noinline]] void *allocate_by_chain(size_t bytes, context::Frame frame) {
  heap::LocalHeap *heap = heap::current;
  if (bytes > formation.most_bytes || bytes == 0 || heap->number() == 0)
    return heap::allocate(bytes);
  ThreadPools *pools = thread_pools(heap);
  if (pools == nullptr) return heap::allocate(bytes);
  context::Entry *leaf = context::chain_table.find(frame);
  const Address key = leaf->depth == 1 ? *frame.sp : reinterpret_cast<Address>(leaf);
  if (const PoolChoice *choice = choice_of(key, *pools))
    return choice->heap != nullptr ? take_counted(*choice, bytes, *pools) : heap::allocate(bytes);
  return allocate_slow(leaf, key, frame, bytes, heap, *pools);
}

} // namespace

void start_forming() {
  if (place_in_force.pools != Pools::promising) return;
  formation.requests_left.store(kRequests, std::memory_order_relaxed);
  formation.is_on.store(true, std::memory_order_relaxed);
  sites::table.reset(sites::SiteTable::Which::what_may_change);
  enable(Policy::pools);
}

void *allocate(size_t bytes, context::Frame frame) {
  heap::LocalHeap *heap = heap::current;
  ThreadPools *pools = above(*heap).pools;
  if (bytes > formation.most_bytes || bytes == 0 || pools == nullptr) [[unlikely]]
    return allocate_by_chain(bytes, frame);
  const Address site = *frame.sp;
  const PoolChoice *choice = choice_of(site, *pools);
  if (choice == nullptr || choice->heap == nullptr) [[unlikely]]
    return allocate_by_chain(bytes, frame);
  void *block = choice->heap->births.take(heap::small_class(bytes));
  if (block == nullptr) [[unlikely]]
    return take_counted(*choice, bytes, *pools);
  return counted(bytes, block, *choice->group, *pools);
}

void *allocate_in(Group &group, size_t bytes) {
  ThreadPools *pools = above(*heap::current).pools;
  const PoolId pool = group.pool.load(std::memory_order_relaxed);
  if (pools == nullptr || pool == kNoPool || pools->heaps[pool] == nullptr ||
      bytes - 1 >= formation.most_bytes)
    return nullptr;
  return take_counted({.group = &group, .heap = pools->heaps[pool]}, bytes, *pools);
}

void start() {
  const Pools pools = place_in_force.pools;
  if (pools == Pools::none) return;
  threshold = static_cast<uint32_t>(option_value(Option::group_objects));
  shape_graph.first_scan = threshold;
  formation.most_bytes = pools == Pools::assigned
                             ? static_cast<uint32_t>(kPlacedMost)
                             : static_cast<uint32_t>(option_value(Option::group_bytes));
  if (pools == Pools::assigned) {
    assigned_contexts.set_limits(limits_of_others);
    policies_listener = [](EnabledPolicies now) {
      const bool only_pools = now.mask == static_cast<uint8_t>(Policy::pools);
      heap::heap_registry.set_site_limits(only_pools ? limits_of_others : kNoSiteIsPlain);
    };
  }
  if (pools != Pools::promising) {
    formation.is_on.store(true, std::memory_order_relaxed);
    enable(Policy::pools);
  }
  heap::heap_registry.take_first(shape_graph.lock());
  start_sampling();
  if (sampling) shape_graph.together = [](PoolId from, PoolId to) { return usage.after(from, to); };
}

} // namespace abut::group
