#include "placement/friends/placement.hpp"

#include "base/bump.hpp"
#include "base/options.hpp"
#include "context/decoder.hpp"
#include "heap/heap.hpp"
#include "os/message.hpp"
#include "os/one_thread.hpp"
#include "placement/friends/evaluation.hpp"
#include "placement/friends/learner.hpp"

#include <algorithm>

namespace abut::near {

namespace {

// Expressions that may be tried at first, before the heap has grown; then sample_times.cpp adds to them.
constexpr uint32_t kFirstEffort = 1U << 17;
constexpr uint8_t kRest =
    8; // attempts that skip the slow path after one in vain; more after several
constexpr uint8_t kLongestRest = 64;

// What is not placed beside a friend goes to its pool, if it has one.
void *allocate_elsewhere(size_t bytes, const Captured &captured) {
  return group::may_have_pool(bytes, captured.words[Captured::kReturnAddress])
             ? group::allocate(bytes, frame_of(captured))
             : heap::allocate(bytes);
}

// A site whose objects are placed, one after the other, is decided.
void decide_site(Context &context, const Rule &rule) {
  const bool is_sites = context.leaf == nullptr && &rule == &context.first;
  if (!is_sites || context.countdown != 0 || rule.fast_bytes == 0) return;
  if (sites::Site *site = sites::table.find(context.site))
    sites::table.decide(*site, sites::Kind::always_beside);
}

// Counts the outcome of an attempt.
void record(Context &context, Rule &rule, const NearHeap::Placed &placed) {
  switch (placed.where) {
  case NearHeap::Where::run:
    decide_site(context, rule);
    rule.next_rest = 0;
    bump(rule.counts.runs);
    break;
  case NearHeap::Where::hole: bump(rule.counts.holes); break;
  case NearHeap::Where::near_anyway:
    bump(rule.counts.near_anyway);
    bump(rule.in_vain);
    break;
  case NearHeap::Where::over_budget:
    bump(rule.counts.over_budget);
    rule.rest = rule.next_rest = std::clamp<uint8_t>(2 * rule.next_rest, kRest, kLongestRest);
    break;
  case NearHeap::Where::not_ours:
  case NearHeap::Where::nowhere: bump(rule.counts.not_ours); break;
  case NearHeap::Where::reserved: break;
  }
}

void *place(Context &context, Rule &rule, heap::LocalHeap *heap, const Captured &captured) {
  NearHeap *near_heap = near_heap_of(heap);
  if (near_heap == nullptr) return nullptr;
  bump(rule.attempts);
  const Reader reader(captured);
  Address friend_address = reader.value(rule.first);
  if (friend_address == 0 && rule.has_second) friend_address = reader.value(rule.second);
  if (friend_address == 0) {
    bump(rule.counts.no_friend);
    return nullptr;
  }
  NearHeap::Placed placed;
  if (rule.fixed_end)
    placed = {
        near_heap->take_reserved(friend_address + static_cast<Address>(rule.to_end), rule.size),
        NearHeap::Where::reserved};
  if (placed.block == nullptr) {
    if (rule.rest > 0) {
      --rule.rest;
      bump(rule.counts.rested);
      return nullptr;
    }
    evaluate(context, rule, heap, friend_address);
    placed = near_heap->place(friend_address, rule.size);
  }
  record(context, rule, placed);
  if (placed.block != nullptr) {
    verify(context, rule, heap, reinterpret_cast<Address>(placed.block), friend_address);
  }
  return placed.block;
}

// Whether a wrapper's request may get a place beside a friend. To find its caller costs more than all the rest: it is done
// only for sizes that some rule places.
bool may_have_friend(size_t bytes) {
  if (bytes > kObjectMax) return false;
  const auto &rules = rules_of_size[heap::small_class(bytes)];
  return samples_remain() || rules.load(std::memory_order_relaxed) != 0;
}

// The context for a request from a site; zero if friends place nothing there, or not now.
Address context_to_place(size_t bytes, Address address) {
  if (!is_active()) return 0;
  sites::Site *site = sites::table.find(address);
  const Address context = site != nullptr ? site->context.load(std::memory_order_acquire) : 0;
  const bool may_place = context != kPlain && bytes <= kObjectMax;
  if (count_sample(may_place ? kSampleCost : kSkipCost)) pause_sampling();
  if (!may_place) return 0;
  if (context == 0) return site != nullptr || sites::table.has_room(address) ? kUnknown : 0;
  if (is_cold(context)) {
    Address counted = context;
    site->context.compare_exchange_strong(counted, context - 1, std::memory_order_relaxed);
    return 0;
  }
  const Address here = is_context(context) ? unless_resting(context) : context;
  if (here != 0 && here != kWarm && !samples_remain() && is_active())
    sites::table.decide(*site, sites::Kind::beside);
  return here;
}

// Whether friends place nothing at a site until sampling begins again.
bool is_settled(Address address) {
  if (!is_active()) return true;
  if (samples_remain()) return false;
  const sites::Site *site = sites::table.find(address);
  return site != nullptr && site->context.load(std::memory_order_relaxed) == kPlain;
}

} // namespace

Decision decide_slow(size_t bytes, Address address) {
  if (const Address context = context_to_place(bytes, address))
    return {sites::Kind::beside, context};
  const auto kind = group::may_have_pool(bytes, address) ? sites::Kind::pool : sites::Kind::plain;
  if (is_settled(address) && group::is_settled(address))
    if (sites::Site *site = sites::table.claim(address)) sites::table.decide(*site, kind);
  return {kind};
}

[[gnu::noinline]] void *count_slow(void *block, Context &context, Address cell) {
  Rule &rule = context.first;
  carry(rule.attempts);
  // Sampling ends also in a program all of whose objects are placed.
  if (count_sample(kSampleCost)) pause_sampling();
  const Address friend_address = cell - static_cast<Address>(rule.to_end);
  if (heap::may_hold_blocks(friend_address))
    verify(context, rule, heap::current, reinterpret_cast<Address>(block), friend_address);
  return block;
}

void *allocate(size_t bytes, const Captured &captured, Address address) {
  heap::LocalHeap *heap = heap::current;
  if (address == kUnknown || address == kWarm) {
    if (place_in_force.friends == Friends::none)
      set_plain(captured.words[Captured::kReturnAddress]);
    else if (heap->number() != 0 && !meet_site(captured))
      return_sample();
    return allocate_elsewhere(bytes, captured);
  }
  if (address == kWrapper) {
    if (!may_have_friend(bytes)) return allocate_elsewhere(bytes, captured);
    address = context_behind(captured);
    if (void *block = allocate_beside(bytes, captured, address)) return block;
    if (address == 0 && count_sample(kVainCost)) pause_sampling();
  }
  if (!is_context(address)) return allocate_elsewhere(bytes, captured);
  auto *context = reinterpret_cast<Context *>(address);
  const unsigned size = heap::small_class(bytes);
  Rule *rule = context->rule_for(size);
  if (rule == nullptr && bytes <= kObjectMax && learning.try_lock()) {
    rule = new_rule(*context, size);
    learning.unlock();
  }
  if (rule == nullptr || rule->state == Rule::State::plain || heap->number() == 0) {
    // Another thread may have decided it while the rule was disabled.
    if (context->first.state != Rule::State::placing) sites::table.reset(context->site);
    return allocate_elsewhere(bytes, captured);
  }
  if (rule->state == Rule::State::suspended) resume(*context, *rule);
  if (rule->state == Rule::State::placing)
    if (void *block = place(*context, *rule, heap, captured)) return block;
  void *block = allocate_elsewhere(bytes, captured);
  if (rule->state == Rule::State::learning && block != nullptr)
    learn(*context, *rule, heap, reinterpret_cast<Address>(block), captured);
  return block;
}

void *allocate_near(size_t bytes, const void *other) {
  heap::LocalHeap *heap = heap::current;
  if (other == nullptr || bytes == 0 || bytes > kObjectMax || heap->number() == 0)
    return heap::allocate(bytes);
  NearHeap *near_heap = near_heap_of(heap);
  if (near_heap == nullptr) return heap::allocate(bytes);
  void *block = near_heap->place(reinterpret_cast<Address>(other), heap::small_class(bytes)).block;
  return block != nullptr ? block : heap::allocate(bytes);
}

void start(const Place &place) {
  find_static_data();
  context::map_decoder();
  context::chain_table.configure(static_cast<context::ChainMode>(option_value(Option::chain)));
  heap::heap_registry.take_first(context::decoder_lock()); // which is taken under the next
  heap::heap_registry.take_first(context::chain_table.lock());
  heap::heap_registry.take_first(learning);
  heap::heap_registry.take_first(sites::table.lock());
  heap::heap_registry.take_first(group::assigned_contexts.lock());
  place_in_force = place; // what the loader allocates until here lies in no pool
  group::start();
  Learner::effort_left = kFirstEffort;
  if (place_in_force.friends != Friends::none || place_in_force.pools == Pools::promising)
    await_growth();
}

} // namespace abut::near
