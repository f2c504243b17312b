#include "placement/pools/grouping.hpp"

#include "base/bump.hpp"
#include "base/options.hpp"

#include <mutex>

namespace abut::group {

Groups groups = Groups::off;
Formation formation;

namespace {

constexpr uint32_t kRarely =
    63 << 6; // of each 4096 births 64 in a row, so that friends are noted together
constexpr uint64_t kGrowth = 4;
constexpr uint32_t kRequestsAwake = 2048;
constexpr uint64_t kNever = ~uint64_t{0};

enum class Use : uint8_t { pools, forwarded, padded };

struct Limits {
  uint32_t objects = 100;
  Merging merging = Merging::born;
  Use use = Use::pools;
} limits;

PoolId pools_made = 0;

// What threads have been told is asked for anew.
void tell_anew() { formation.looks.fetch_add(1, std::memory_order_relaxed); }

// Of all groups that share it.
void set_pool(Group &root, PoolId pool) {
  shape_graph.each_member(
      root, [&](Group &member) { member.pool.store(pool, std::memory_order_relaxed); });
}

// The site's requests are not looked at any more.
void be_quiet_at(Address address) {
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

// Whether a pool promises to pay, as far as a few hundred objects can tell.
bool promises(Group &root, const Group &group) {
  if (groups == Groups::all) return true;
  if (group.objects < limits.objects * kGrowth) return false;
  const Reason reason = reason_against(root, group);
  shape_graph.each_member(root, [&](Group &member) { member.reason = reason; });
  return reason == Reason::none;
}

// What is to become of a group, by what its objects and those around it look like now.
void settle(Group &group, ThreadPools &pools) {
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
  if (root.pool.load(std::memory_order_relaxed) == kNoPool) {
    if (promises(root, group)) give_pool(root, pools);
  } else if (groups == Groups::on && limits.use != Use::forwarded &&
             is_fleeting(root, limits.objects * kGrowth * kGrowth)) {
    turn_off(root, Reason::brief);
  } else if (is_sparse(root) ||
             (sampling && usage.is_thin(root.pool.load(std::memory_order_relaxed)))) {
    turn_off(root, Reason::sparse);
  }
}

// Whether some group has a pool; its site is among the pooled ones then. Under the graph's lock.
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
  tell_anew();
  sites::table.ask_again(sites::SiteTable::Which::what_may_change);
  return any;
}

void look(Group &group, heap::LocalHeap *heap, ThreadPools &pools) {
  if (!shape_graph.lock().try_lock()) return;
  std::lock_guard guard(shape_graph.lock(), std::adopt_lock);
  if (group.objects < group.next_look) return; // another thread looked meanwhile
  group.next_look *= kGrowth;
  shape_graph.look_at(group, heap, limits.merging);
  settle(group, pools);
  if (formation.is_on.load(std::memory_order_relaxed))
    tell_anew();
  else
    find_pooled_sites();
}

void note(Group &group, ThreadPools &pools, const void *block, size_t bytes) {
  const auto object = reinterpret_cast<Address>(block);
  if (bytes < group.smallest) group.smallest = static_cast<uint16_t>(bytes);
  if (bytes > group.largest) group.largest = static_cast<uint16_t>(bytes);
  births.note(object, {group.id, pools.births});
  group.samples[group.noted % Group::kSamples] = {object, pools.births, heap::current->number()};
  bump(group.noted);
  bump(group.noted_bytes, uint64_t{bytes});
}

bool holds(const Told &told) {
  return told.looks == formation.looks.load(std::memory_order_relaxed) &&
         told.generation == context::chain_table.generation();
}

unsigned size_for(const Told &told, size_t bytes) {
  return heap::small_class(bytes) + told.padding;
}

// Counts an object; whether it is to be looked at closer, as few are.
[[gnu::always_inline]] inline bool count(Group &group, ThreadPools &pools) {
  bump(group.objects);
  ++pools.births;
  return (pools.births & group.rarely) == 0 || group.objects >= group.next_look;
}

// What was found for a site or a chain; null where it has to be found anew.
[[gnu::always_inline]] inline const Told *told_of(Address key, ThreadPools &pools) {
  const auto &kept = pools.kept_for(key);
  return kept.key == key && holds(kept.told) ? &kept.told : nullptr;
}

// Where the group's objects go; no heap where that is not yet decided, and it may be another the next time.
Told told_for(Group &group, heap::LocalHeap *heap, const ThreadPools &pools) {
  const PoolId pool = group.pool.load(std::memory_order_relaxed);
  Told told{.group = &group, .heap = heap};
  if (pool == kNoPool || limits.use == Use::forwarded) return told;
  told.heap = pools.heaps[pool];
  told.padding = limits.use == Use::padded ? 1 : 0;
  return told;
}

// Groups have been formed for long enough.
void rest() {
  if (!shape_graph.lock().try_lock()) return;
  std::lock_guard guard(shape_graph.lock(), std::adopt_lock);
  formation.requests_left.store(0, std::memory_order_relaxed);
  formation.is_on.store(false, std::memory_order_relaxed);
  if (!find_pooled_sites()) end_to_look(Looker::group);
}

// `block`, looked at.
[[gnu::noinline]] void *look_closer(size_t bytes, void *block, Group &group, ThreadPools &pools) {
  if (count_request()) rest();
  if ((pools.births & group.rarely) == 0) note(group, pools, block, bytes);
  if (group.objects >= group.next_look) look(group, heap::current, pools);
  return block;
}

[[gnu::always_inline]] inline void *counted(size_t bytes, void *block, Group &group,
                                            ThreadPools &pools) {
  if (count(group, pools) || is_counting()) [[unlikely]]
    return look_closer(bytes, block, group, pools);
  return block;
}

[[gnu::noinline]] void *take_counted(const Told &told, size_t bytes, ThreadPools &pools) {
  void *block = take(*told.heap, size_for(told, bytes));
  return block != nullptr ? counted(bytes, block, *told.group, pools) : nullptr;
}

// The pool that the profile has for a chain. Under the graph's lock.
PoolId pool_assigned_to(context::Frame frame) {
  Address chain[AssignedContexts::kMostCalls];
  unsigned count = 0;
  context::chain_table.each_step(frame, [&](uint64_t key, const context::ChainStep &) {
    if (count < AssignedContexts::kMostCalls) chain[count++] = context::ChainTable::address_in(key);
  });
  return assigned_contexts.pool_of({chain, count});
}

// What the profile has for a chain: its group, which has a pool; or no group. False where that cannot be told now.
bool find_assigned(context::Entry *leaf, context::Frame frame, size_t bytes, Group *&group) {
  PoolId pool = kNoPool;
  {
    if (!shape_graph.lock().try_lock()) return false;
    std::lock_guard guard(shape_graph.lock(), std::adopt_lock);
    pool = pool_assigned_to(frame);
    if (pool == kNoPool) {
      if (!assigned_contexts.any_begins_at(*frame.sp)) be_quiet_at(*frame.sp);
      return true;
    }
  }
  group = shape_graph.group_of(leaf, bytes, *frame.sp);
  if (group == nullptr) return false;
  if (group->pool.exchange(pool, std::memory_order_relaxed) == pool) return true;
  group->reason = Reason::none;
  group->rarely = kRarely;
  group->next_look = kNever;
  set_pooled(group->site);
  tell_anew();
  return true;
}

// For a chain that this thread has not met lately.
[[gnu::noinline]] void *allocate_anew(context::Entry *leaf, Address key, context::Frame frame,
                                      size_t bytes, heap::LocalHeap *heap, ThreadPools &pools) {
  const uint32_t now = formation.looks.load(std::memory_order_relaxed);
  const uint16_t generation = context::chain_table.generation();
  Group *group = nullptr;
  if (groups != Groups::assigned) {
    group = shape_graph.group_of(leaf, bytes, *frame.sp);
  } else if (find_assigned(leaf, frame, bytes, group) && group == nullptr) {
    pools.kept_for(key) = {key, {.looks = now, .generation = generation}};
  }
  if (group == nullptr) return heap::allocate(bytes);
  Told told = told_for(*group, heap, pools);
  if (told.heap == nullptr) {
    told.heap = heap_for(pools, heap, group->pool.load(std::memory_order_relaxed), limits.objects);
  } else if (leaf->kind.load(std::memory_order_relaxed) != context::EntryKind::loader) {
    // What the dynamic linker allocates is always looked up: that tells whether code has gone.
    told.looks = now;
    told.generation = generation;
    pools.kept_for(key) = {key, told};
  }
  return take_counted(told, bytes, pools);
}

// For those that are told by more than their site.
[[gnu::noinline]] void *allocate_by_chain(size_t bytes, context::Frame frame) {
  heap::LocalHeap *heap = heap::current;
  if (bytes > formation.most_bytes || bytes == 0 || heap->number() == 0)
    return heap::allocate(bytes);
  ThreadPools *pools = thread_pools(heap);
  if (pools == nullptr) return heap::allocate(bytes);
  context::Entry *leaf = context::chain_table.find(frame);
  const Address key = leaf->depth == 1 ? *frame.sp : reinterpret_cast<Address>(leaf);
  if (const Told *told = told_of(key, *pools))
    return told->heap != nullptr ? take_counted(*told, bytes, *pools) : heap::allocate(bytes);
  return allocate_anew(leaf, key, frame, bytes, heap, *pools);
}

} // namespace

void wake() {
  if (groups != Groups::on) return;
  formation.requests_left.store(kRequestsAwake, std::memory_order_relaxed);
  formation.is_on.store(true, std::memory_order_relaxed);
  sites::table.ask_again(sites::SiteTable::Which::what_may_change);
  begin_to_look(Looker::group);
}

void *allocate(size_t bytes, context::Frame frame) {
  heap::LocalHeap *heap = heap::current;
  auto *pools = static_cast<ThreadPools *>(heap->side_table);
  if (bytes > formation.most_bytes || bytes == 0 || pools == nullptr) [[unlikely]]
    return allocate_by_chain(bytes, frame);
  const Address site = *frame.sp;
  const Told *told = told_of(site, *pools);
  if (told == nullptr || told->heap == nullptr) [[unlikely]]
    return allocate_by_chain(bytes, frame);
  void *block = told->heap->births.take(size_for(*told, bytes));
  if (block == nullptr) [[unlikely]]
    return take_counted(*told, bytes, *pools);
  return counted(bytes, block, *told->group, *pools);
}

void *allocate_in(Group &group, size_t bytes) {
  auto *pools = static_cast<ThreadPools *>(heap::current->side_table);
  const PoolId pool = group.pool.load(std::memory_order_relaxed);
  if (pools == nullptr || pool == kNoPool || pools->heaps[pool] == nullptr ||
      bytes - 1 >= formation.most_bytes)
    return nullptr;
  return take_counted({.group = &group, .heap = pools->heaps[pool]}, bytes, *pools);
}

void start() {
  groups = static_cast<Groups>(option_value(Option::groups));
  const bool assigned = groups == Groups::off && assigned_contexts.any();
  if (assigned) groups = Groups::assigned;
  limits.objects = static_cast<uint32_t>(option_value(Option::group_objects));
  shape_graph.first_look = limits.objects;
  formation.most_bytes = assigned ? static_cast<uint32_t>(heap::kSmallMax)
                                  : static_cast<uint32_t>(option_value(Option::group_bytes));
  limits.merging = static_cast<Merging>(option_value(Option::group_merge));
  limits.use = static_cast<Use>(option_value(Option::group_pools));
  if (groups == Groups::off) return;
  if (groups != Groups::on) {
    formation.is_on.store(true, std::memory_order_relaxed);
    begin_to_look(Looker::group);
  }
  heap::heap_registry.take_first(shape_graph.lock());
  start_sampling();
  if (sampling) shape_graph.together = [](PoolId from, PoolId to) { return usage.after(from, to); };
}

} // namespace abut::group
