#include "placement/friends/placement.hpp"

#include "base/bump.hpp"
#include "base/options.hpp"
#include "context/decoder.hpp"
#include "heap/heap.hpp"
#include "os/message.hpp"
#include "os/one_thread.hpp"
#include "placement/friends/judgement.hpp"
#include "placement/friends/learner.hpp"

#include <algorithm>
#include <utility>

namespace abut::near {

uint32_t looks_left = 0;

namespace {

constexpr uint32_t kLooksAwake = 2048;   // allocations that are looked at
constexpr size_t kGrown = 4;             // the heap is looked at when it has grown by such a part
constexpr size_t kWorthTheTrouble = MiB; // of small blocks: less fits in the caches as it is
// Expressions that may be tried at first, and for each MiB that the heap has grown: so that finding friends costs less than
// a hundredth of the time that it takes to fill a heap.
constexpr uint32_t kFirstEffort = 1U << 17;
constexpr uint32_t kEffort = 1U << 13;
constexpr uint32_t kRequestsInLook = 1024; // between two looks at the clock, or fewer
constexpr uint32_t kLooksUntilAsked = 16;  // at the clock, whether what is placed still pays
constexpr uint8_t kRest = 8; // attempts without a closer look, after one in vain; longer after more
constexpr uint8_t kLongestRest = 64;

bool finds_friends = true;

// What is not put beside a friend lies with its group, if groups are formed.
void *elsewhere(size_t bytes, const Captured &captured) {
  return group::wants(bytes, captured.words[Captured::kReturnAddress])
             ? group::allocate(bytes, frame_of(captured))
             : heap::allocate(bytes);
}

// A site that places its objects, one after the other, need not ask any more.
void remember_site(Context &context, const Rule &rule) {
  const bool is_sites = context.leaf == nullptr && &rule == &context.first;
  if (!is_sites || context.countdown != 0 || rule.fast_bytes == 0) return;
  if (sites::Site *site = sites::table.find(context.site))
    sites::table.act(*site, sites::Action::always_beside);
}

// What became of an attempt.
void note(Context &context, Rule &rule, const NearHeap::Placed &placed) {
  switch (placed.where) {
  case NearHeap::Where::run:
    remember_site(context, rule);
    rule.next_rest = 0;
    bump(rule.counts.runs);
    bump(rule.counts.cells, uint64_t{placed.cells});
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
  case NearHeap::Where::waiting: break;
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
        near_heap->take_waiting(friend_address + static_cast<Address>(rule.to_end), rule.size),
        NearHeap::Where::waiting};
  if (placed.block == nullptr) {
    if (rule.rest > 0) {
      --rule.rest;
      bump(rule.counts.rested);
      return nullptr;
    }
    judge(context, rule, heap, friend_address);
    placed = near_heap->place(friend_address, rule.size);
  }
  note(context, rule, placed);
  if (placed.block != nullptr) {
    watch(context, rule, heap, reinterpret_cast<Address>(placed.block), friend_address);
  }
  return placed.block;
}

} // namespace

namespace {

// What is to be done at a site: zero if nothing.
Address context_to_place(size_t bytes, Address address) {
  if (!is_awake()) return 0;
  sites::Site *site = sites::table.find(address);
  const Address context = site != nullptr ? site->context.load(std::memory_order_acquire) : 0;
  const bool may_place = context != kPlain && bytes <= kObjectMax;
  if (count_look(may_place ? kLooking : kPassing)) fall_asleep();
  if (!may_place) return 0;
  if (context == 0) return site != nullptr || sites::table.has_room(address) ? kUnknown : 0;
  if (is_cold(context)) {
    Address counted = context;
    site->context.compare_exchange_strong(counted, context - 1, std::memory_order_relaxed);
    return 0;
  }
  const Address here = is_context(context) ? unless_resting(context) : context;
  if (here != 0 && here != kWarm && !counts_looks() && is_awake())
    sites::table.act(*site, sites::Action::beside);
  return here;
}

// Whether nothing will be done at a site until friends are looked for again.
bool leaves_alone(Address address) {
  if (!is_awake()) return true;
  if (counts_looks()) return false;
  const sites::Site *site = sites::table.find(address);
  return site != nullptr && site->context.load(std::memory_order_relaxed) == kPlain;
}

} // namespace

Decision decide_anew(size_t bytes, Address address) {
  if (const Address context = context_to_place(bytes, address))
    return {sites::Action::beside, context};
  const auto action = group::wants(bytes, address) ? sites::Action::pool : sites::Action::plain;
  // The next request from there need not ask, until somebody begins to look.
  if (leaves_alone(address) && group::is_settled(address))
    if (sites::Site *site = sites::table.claim(address)) sites::table.act(*site, action);
  return {action};
}

[[gnu::noinline]] void *look_closer(void *block, Context &context, Address cell) {
  Rule &rule = context.first;
  carry(rule.attempts);
  // A program that requests nothing but what is placed is awake for a time only, too.
  if (count_look(kLooking)) fall_asleep();
  const Address friend_address = cell - static_cast<Address>(rule.to_end);
  if (heap::may_hold_blocks(friend_address))
    watch(context, rule, heap::current, reinterpret_cast<Address>(block), friend_address);
  return block;
}

void *allocate(size_t bytes, const Captured &captured, Address address) {
  heap::LocalHeap *heap = heap::current;
  if (address == kUnknown || address == kWarm) {
    if (!finds_friends)
      remember_plain(captured.words[Captured::kReturnAddress]);
    else if (heap->number() != 0 && !meet_site(captured))
      take_look_back();
    return elsewhere(bytes, captured);
  }
  if (address == kWrapper) {
    address = context_behind(captured);
    if (void *block = allocate_beside(bytes, captured, address)) return block;
  }
  if (!is_context(address)) return elsewhere(bytes, captured);
  auto *context = reinterpret_cast<Context *>(address);
  const unsigned size = heap::small_class(bytes);
  Rule *rule = context->rule_for(size);
  if (rule == nullptr && bytes <= kObjectMax && learning.try_lock()) {
    rule = new_rule(*context, size);
    learning.unlock();
  }
  if (rule == nullptr || rule->state == Rule::State::plain || heap->number() == 0) {
    // Where another thread had it remembered while the rule was given up.
    if (context->first.state != Rule::State::placing) sites::table.ask_again(context->site);
    return elsewhere(bytes, captured);
  }
  if (rule->state == Rule::State::suspended) resume(*context, *rule);
  if (rule->state == Rule::State::placing)
    if (void *block = place(*context, *rule, heap, captured)) return block;
  void *block = elsewhere(bytes, captured);
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

namespace {

uint64_t placed_before = 0;          // when the time for looking began
std::atomic<size_t> bytes_before{0}; // of the heap

uint64_t placed_in_all() {
  uint64_t placed = 0;
  each_context([&](const Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i) placed += context.rule(i).placed();
  });
  return placed;
}

// Whether what was placed since this was last asked pays for a look at every request.
bool pays() {
  constexpr uint32_t kWorthIt = kLooksAwake / 4;
  const uint64_t before = std::exchange(placed_before, placed_in_all());
  return rules_placing != 0 && placed_before - before >= kWorthIt;
}

void begin_to_look_again() {
  placed_before = placed_in_all();
  std::atomic_ref(looks_left).store(kLooksAwake * kLooking, std::memory_order_relaxed);
  sites::table.ask_again(sites::SiteTable::Which::what_may_change);
  begin_to_look(Looker::near);
}

// Not while looks are counted: then their end asks, and what is being learned has its time.
void ask_whether_it_pays() {
  if (!counts_looks()) fall_asleep();
}

template <class Visit>
void each_suspended(Visit visit) {
  each_context([&](Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i)
      if (context.rule(i).state == Rule::State::suspended) visit(context);
  });
}

// What is suspended lets requests pass as long as others are looked at. Else it is tried again when heaps have done as much
// work, whether they have grown or not.
void wake_for_suspended() {
  each_suspended([](Context &context) { context.countdown = 0; });
  begin_to_look_again();
}
void pause_for_suspended() {
  uint32_t requests = ~uint32_t{0};
  each_suspended([&](const Context &context) { requests = std::min(requests, context.countdown); });
  heap::pause.begin(requests / kRequestsInLook + 1, wake_for_suspended);
}

} // namespace

void fall_asleep() {
  end_learning();
  context::rest_decoder();
  if (pays()) return heap::pause.begin(kLooksUntilAsked, ask_whether_it_pays);
  end_to_look(Looker::near);
  sites::table.ask_again(sites::SiteTable::Which::all);
  if (rules_suspended != 0) pause_for_suspended();
}

namespace {

// Of all heaps together, since the table of sites is everybody's.
std::atomic<size_t> next_look{kWorthTheTrouble};

void look_again_when_grown(size_t span_bytes) {
  if (span_bytes < next_look.load(std::memory_order_relaxed)) return;
  next_look.store(span_bytes + span_bytes / kGrown, std::memory_order_relaxed);
  group::wake();
  if (!finds_friends) return;
  const size_t before = bytes_before.exchange(span_bytes, std::memory_order_relaxed);
  const size_t grown = span_bytes - std::min(before, span_bytes);
  begin_learning(static_cast<uint32_t>(grown / KiB * (kEffort / KiB)));
  begin_to_look_again();
}

} // namespace

void start() {
  finds_friends = option_value(Option::friends) != 0;
  find_static_data();
  context::load_decoder();
  context::chain_table.configure(static_cast<context::ChainMode>(option_value(Option::chain)));
  heap::heap_registry.take_first(context::chain_table.lock());
  heap::heap_registry.take_first(learning);
  heap::heap_registry.take_first(sites::table.lock());
  group::start();
  Learner::effort_left = kFirstEffort;
  if (finds_friends || group::groups == group::Groups::on) heap::when_grown = look_again_when_grown;
}

} // namespace abut::near
