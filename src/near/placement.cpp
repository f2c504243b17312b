#include "near/placement.hpp"

#include "base/bump.hpp"
#include "base/options.hpp"
#include "context/decoder.hpp"
#include "near/learner.hpp"
#include "os/message.hpp"

#include <mutex>

namespace abut::near {

uint32_t looks_left = 0;
uint32_t rules_placing = 0;

namespace {

constexpr uint32_t kPatienceFactor = 8;
constexpr uint32_t kLooksAwake = 8192;   // allocations
constexpr size_t kWorthTheTrouble = MiB; // of small blocks: less fits in the caches as it is
constexpr unsigned kTries = 3;
constexpr unsigned kMostDrops = 4;
constexpr uint32_t kChecks = 32;
constexpr uint32_t kLooks = 4096; // after which a rule is judged
constexpr uint64_t kRunsToJudge = 1 << 17;
constexpr uint32_t kJudgeEvery = 16; // looks
constexpr unsigned kHalfALine = 2;   // granules
constexpr uint8_t kRest = 8; // attempts without a closer look, after one in vain; longer after more
constexpr uint8_t kLongestRest = 64;
constexpr unsigned kLearners = 4;

bool finds_friends = true;
Learner *learners = nullptr;
unsigned learners_made = 0;

// What is not put beside a friend lies with its group, if groups are formed.
void *elsewhere(size_t bytes, const Captured &captured) {
  return group::is_on() ? group::allocate(bytes, frame_of(captured)) : heap::allocate(bytes);
}

Learner *take_learner() {
  if (Learner *free = learners) {
    learners = free->next_free;
    return free;
  }
  if (learners_made == kLearners) return nullptr;
  ++learners_made;
  return static_cast<Learner *>(os::map(nullptr, round_up(sizeof(Learner), kPageBytes)));
}

void leave_learner(Rule &rule) {
  rule.learner->watched = nullptr;
  rule.learner->next_free = learners;
  learners = rule.learner;
  rule.learner = nullptr;
}

Rule *new_rule(Context &context, unsigned size) {
  if (context.rule_count == Context::kRules) return nullptr;
  Rule &rule = context.rules[context.rule_count];
  rule.size = static_cast<uint8_t>(size);
  ++context.rule_count;
  ++context.undecided;
  return &rule;
}

// When nothing is learned any more and nothing placed, the site is left in peace, for a time or for good.
void settle(Context &context) {
  bool places = false;
  unsigned tries = kTries;
  for (unsigned i = 0; i < context.rule_count; ++i) {
    places |= context.rules[i].state == Rule::State::placing;
    tries = std::min<unsigned>(tries, context.rules[i].tries);
  }
  if (places || context.undecided != 0) return;
  if (tries >= kTries) return leave_in_peace(context);
  context.patience *= kPatienceFactor;
  context.countdown = context.patience;
  for (unsigned i = 0; i < context.rule_count; ++i) {
    context.rules[i].state = Rule::State::learning;
    ++context.undecided;
  }
}

void close_rule(Context &context, Rule &rule, Rule::State state) {
  if (rule.state == Rule::State::learning) --context.undecided;
  if (rule.state == Rule::State::placing) --rules_placing;
  if (state == Rule::State::placing) ++rules_placing;
  rule.state = state;
  const Expression &first = rule.first;
  const unsigned last =
      first.index == Expression::kNone ? first.base : std::max(first.base, first.index);
  rule.reach = static_cast<uint8_t>((last + 1) * sizeof(Address) - 1); // 255 at most
  const bool fast =
      state == Rule::State::placing && rule.fixed_end && first.loads <= 1 && last < 32;
  rule.fast_size = fast ? rule.size : 0;
  if (state == Rule::State::plain) settle(context);
}

// Where there is no better friend than one with several objects after it, that one will do if a line holds two.
bool take_back_banned(Rule &rule) {
  if (!rule.has_banned || rule.size > kHalfALine) return false;
  rule.first = rule.banned;
  rule.may_branch = true;
  rule.has_second = false;
  return true;
}

void learn(Context &context, Rule &rule, heap::LocalHeap *heap, Address block,
           const Captured &captured) {
  if (!learning.try_lock()) return take_look_back();
  if (rule.state == Rule::State::learning) {
    if (rule.learner == nullptr) rule.learner = take_learner();
    if (rule.learner != nullptr && rule.learner->watched != heap &&
        (rule.learner->watched == nullptr || ++rule.learner->others > Learner::kPatience)) {
      rule.learner->begin(rule.tries == 0 && !rule.has_banned);
      rule.learner->watched = heap;
      rule.learner->others = 0;
    }
    if (rule.learner == nullptr || rule.learner->watched != heap) {
      take_look_back();
    } else {
      std::lock_guard guard(heap->lock());
      const auto verdict = rule.learner->observe(rule, heap, block, captured);
      if (verdict != Learner::Verdict::undecided) {
        leave_learner(rule);
        ++rule.tries;
        const bool found = verdict == Learner::Verdict::found || take_back_banned(rule);
        close_rule(context, rule, found ? Rule::State::placing : Rule::State::plain);
      }
    }
  }
  learning.unlock();
}

// What was learned is right, but does not help. What waits for it waits in vain.
void give_up(Context &context, Rule &rule, heap::LocalHeap *heap) {
  if (!learning.try_lock()) return;
  if (rule.state == Rule::State::placing) {
    rule.tries = kTries;
    bump(rule.counts.given_up);
    close_rule(context, rule, Rule::State::plain);
  }
  const bool nothing_waits = rules_placing == 0;
  learning.unlock();
  if (!nothing_waits) return;
  std::lock_guard guard(heap->lock());
  near_heap_of(heap)->give_back(true);
}

// What was learned turned out wrong: learned anew, a few times.
void drop(Context &context, Rule &rule) {
  if (!learning.try_lock()) return;
  if (rule.state == Rule::State::placing) {
    rule.tries = ++rule.counts.dropped > kMostDrops ? kTries : 1;
    context.patience = kFirstLook;
    close_rule(context, rule, Rule::State::plain);
  }
  learning.unlock();
}

// Now and then a placed object is looked at later: is it linked to what was taken for its friend?
void watch(Context &context, Rule &rule, heap::LocalHeap *heap, Address block,
           Address friend_address) {
  if (rule.attempts % kWatchEvery != 0) return;
  if (rule.watched != 0 && rule.watched_by == heap) {
    std::lock_guard guard(heap->lock());
    bump(rule.counts.checked);
    rule.counts.linked += are_linked(heap, rule.watched, rule.watched_friend);
  }
  rule.watched = block;
  rule.watched_friend = friend_address;
  rule.watched_by = heap;
  if (rule.counts.checked < kChecks) return;
  if (rule.counts.linked * 4 < rule.counts.checked) drop(context, rule);
  rule.counts.checked = rule.counts.linked = 0;
}

// Whether runs get more than their first cell used, judged over so many that all chains can have got theirs.
bool yields(Rule &rule) {
  const uint64_t runs = rule.counts.runs - rule.runs_before;
  if (runs < kRunsToJudge) return true;
  const uint64_t placed = rule.placed() - rule.placed_before;
  rule.runs_before = rule.counts.runs;
  rule.placed_before = rule.placed();
  return placed >= runs + runs / 2;
}

// Whether there mostly is a friend. Not judged at once: where a program begins many chains, their first objects have
// none.
bool has_friends(Rule &rule) {
  const uint64_t asked = rule.attempts - rule.counts.rested;
  const uint64_t lonely = rule.counts.no_friend - rule.lonely_before;
  const bool mostly = lonely * 4 > (asked - rule.asked_before) * 3;
  rule.asked_before = asked;
  rule.lonely_before = rule.counts.no_friend;
  rule.lonely_times = mostly ? rule.lonely_times + 1 : 0;
  return rule.lonely_times < 2;
}

// Of what a closer look finds, a sample tells whether a rule is worth its while. Not where friends are near anyway. Where
// each has several objects after it, as a parent has, only one can be the next on its line: then there may be a better
// friend, the last child.
void judge(Context &context, Rule &rule, heap::LocalHeap *heap, Address friend_address) {
  if (++rule.looks % kJudgeEvery == 0 && !rule.may_branch) {
    std::lock_guard guard(heap->lock());
    bump(rule.sampled);
    rule.branching += are_linked(heap, friend_address,
                                 friend_address + static_cast<Address>(int64_t{rule.to_end}));
  }
  const uint64_t attempts = rule.attempts - rule.judged_at;
  if (rule.looks < kLooks && (rule.looks < kLooks / 4 || attempts < 4 * kLooks)) return;
  const bool in_vain = rule.in_vain > attempts / 2;
  const bool branches = rule.branching * 4 > rule.sampled;
  rule.looks = rule.sampled = rule.branching = rule.in_vain = 0;
  rule.judged_at = rule.attempts;
  const bool lonely = !has_friends(rule);
  if (in_vain || lonely || !yields(rule)) return give_up(context, rule, heap);
  if (!branches) return;
  if (rule.has_banned) return give_up(context, rule, heap);
  rule.has_banned = true;
  rule.banned = rule.first;
  drop(context, rule);
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
  switch (placed.where) {
  case NearHeap::Where::run:
    bump(rule.counts.runs);
    bump(rule.counts.cells, uint64_t{placed.cells});
    break;
  case NearHeap::Where::hole: bump(rule.counts.holes); break;
  case NearHeap::Where::near_anyway:
    bump(rule.counts.near_anyway);
    bump(rule.in_vain);
    break;
  case NearHeap::Where::over_budget: bump(rule.counts.over_budget); break;
  case NearHeap::Where::not_ours:
  case NearHeap::Where::nowhere: bump(rule.counts.not_ours); break;
  case NearHeap::Where::waiting: break;
  }
  if (placed.where == NearHeap::Where::over_budget)
    rule.rest = rule.next_rest = std::clamp<uint8_t>(2 * rule.next_rest, kRest, kLongestRest);
  else if (placed.where == NearHeap::Where::run)
    rule.next_rest = 0;
  if (placed.block != nullptr) {
    watch(context, rule, heap, reinterpret_cast<Address>(placed.block), friend_address);
  }
  return placed.block;
}

} // namespace

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
  const unsigned size = heap::SmallHeap::class_of(bytes);
  Rule *rule = context->rule_for(size);
  if (rule == nullptr && bytes <= kObjectMax && learning.try_lock()) {
    rule = new_rule(*context, size);
    learning.unlock();
  }
  if (rule == nullptr || rule->state == Rule::State::plain || heap->number() == 0)
    return elsewhere(bytes, captured);
  if (rule->state == Rule::State::placing)
    if (void *block = place(*context, *rule, heap, captured)) return block;
  void *block = elsewhere(bytes, captured);
  if (rule->state == Rule::State::learning && block != nullptr)
    learn(*context, *rule, heap, reinterpret_cast<Address>(block), captured);
  return block;
}

void *allocate_near(size_t bytes, const void *other) {
  heap::LocalHeap *heap = heap::current;
  if (other == nullptr || bytes <= heap::kTinyMax || bytes > kObjectMax || heap->number() == 0)
    return heap::allocate(bytes);
  NearHeap *near_heap = near_heap_of(heap);
  if (near_heap == nullptr) return heap::allocate(bytes);
  void *block =
      near_heap->place(reinterpret_cast<Address>(other), heap::SmallHeap::class_of(bytes)).block;
  return block != nullptr ? block : heap::allocate(bytes);
}

namespace {

uint64_t placed_before = 0; // when the time for looking began

uint64_t placed_in_all() {
  uint64_t placed = 0;
  each_context([&](const Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i) placed += context.rules[i].placed();
  });
  return placed;
}

// Whether what was placed lately is worth that every request is looked at.
bool pays() {
  constexpr uint32_t kWorthIt = kLooksAwake / 16;
  return rules_placing != 0 && placed_in_all() - placed_before >= kWorthIt;
}

} // namespace

void fall_asleep() {
  context::rest_decoder();
  if (!group::is_on() && !pays()) end_to_look(Looker::near);
}

namespace {

// Of all heaps together, since the table of sites is everybody's.
std::atomic<size_t> next_look{kWorthTheTrouble};

void look_again_when_grown(size_t span_bytes) {
  if (span_bytes < next_look.load(std::memory_order_relaxed)) return;
  next_look.store(span_bytes + span_bytes / 8, std::memory_order_relaxed);
  placed_before = placed_in_all();
  std::atomic_ref(looks_left).store(kLooksAwake, std::memory_order_relaxed);
  begin_to_look(Looker::near);
}

} // namespace

void start(bool friends) {
  finds_friends = friends;
  find_static_data();
  context::load_decoder();
  context::chain_table.configure(static_cast<context::ChainMode>(option_value(Option::chain)));
  heap::heap_registry.take_first(context::chain_table.lock());
  heap::heap_registry.take_first(learning);
  if (friends) heap::when_grown = look_again_when_grown;
  group::start();
  if (group::is_on()) begin_to_look(Looker::near);
}

} // namespace abut::near
