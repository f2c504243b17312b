#include "placement/friends/evaluation.hpp"

#include "os/message.hpp"
#include "placement/friends/learner.hpp"
#include "placement/friends/placement.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace abut::near {

uint32_t rules_placing = 0;
uint32_t rules_suspended = 0;
std::atomic<uint32_t> rules_of_size[kSizes + 1];

namespace {

constexpr uint32_t kPatienceFactor = 8;
// Requests that pass for each run of a trial that did not yield: more where hardly any run had a second object and each request
// of a trial costs several times as much, since its caller is found behind a wrapper.
constexpr uint32_t kPause = 4, kLongPause = 64;
constexpr unsigned kTries = 3;
constexpr unsigned kMostDrops = 4;
constexpr uint32_t kChecks = 32;
constexpr uint32_t kLooks = 1024;                             // after which a rule is evaluated
constexpr uint64_t kFirstRuns = 1 << 13, kMostRuns = 1 << 17; // evaluated over so many
constexpr uint64_t kFirstRunsInWrapper = 1 << 11;
constexpr float kFewHaveTwo = 1.25F, kMostHaveTwo = 1.5F; // objects in a run
constexpr uint64_t kWorthwhile = 3;                       // objects in a run
constexpr uint8_t kFewTimes = 2;                          // evaluations in a row
constexpr uint32_t kEvaluateEvery = 16;                   // looks
constexpr uint32_t kFewSamples = 16;
constexpr uint32_t kFewBranches =
    8; // of so many friends in runs one has two objects after it: in lists, hardly one of thousands
constexpr unsigned kLearners = 4;
constexpr size_t kLearnerBytes = round_up(sizeof(Learner), kPageBytes);
constexpr uint32_t kMostEffort = 1U << 22;

Learner *learners = nullptr;
unsigned learners_made = 0;

Learner *take_learner() {
  if (Learner *free = learners) {
    learners = free->next_free;
    return free;
  }
  if (learners_made == kLearners) return nullptr;
  ++learners_made;
  return static_cast<Learner *>(os::map(kLearnerBytes));
}

// Those that are free.
void unmap_learners() {
  while (learners != nullptr) {
    os::unmap(std::exchange(learners, learners->next_free), kLearnerBytes);
    --learners_made;
  }
}

void leave_learner(Rule &rule) {
  rule.learner->sampled_heap = nullptr;
  rule.learner->next_free = learners;
  learners = rule.learner;
  rule.learner = nullptr;
}

} // namespace

Rule *new_rule(Context &context, unsigned size) {
  if (context.rule_count == Context::kRules) return nullptr;
  if (context.rule_count == 1 && context.further == nullptr) {
    context.further = new_rules();
    if (context.further == nullptr) return nullptr;
  }
  Rule &rule = context.rule(context.rule_count);
  rule.size = static_cast<uint8_t>(size);
  ++context.rule_count;
  ++context.undecided;
  return &rule;
}

namespace {

// When nothing is learned any more and nothing placed, the site is left in peace, for a time or for good.
void settle(Context &context) {
  bool places = false, is_suspended = false;
  unsigned tries = kTries;
  for (unsigned i = 0; i < context.rule_count; ++i) {
    places |= context.rule(i).state == Rule::State::placing;
    is_suspended |= context.rule(i).state == Rule::State::suspended;
    tries = std::min<unsigned>(tries, context.rule(i).tries);
  }
  if (places || is_suspended || context.undecided != 0) return;
  if (tries >= kTries) return set_plain(context);
  context.patience *= kPatienceFactor;
  context.countdown = context.patience;
  for (unsigned i = 0; i < context.rule_count; ++i) {
    context.rule(i).state = Rule::State::learning;
    ++context.undecided;
  }
}

void close_rule(Context &context, Rule &rule, Rule::State state) {
  if (rule.state == Rule::State::learning) --context.undecided;
  if (rule.state == Rule::State::placing) --rules_placing;
  if (state == Rule::State::placing) ++rules_placing;
  rules_of_size[rule.size] -= is_found(rule.state) ? 1 : 0;
  rules_of_size[rule.size] += is_found(state) ? 1 : 0;
  rule.state = state;
  const Expression &first = rule.first;
  const unsigned last =
      first.index == Expression::kNone ? first.base : std::max(first.base, first.index);
  rule.reach = static_cast<uint8_t>((last + 1) * sizeof(Address) - 1); // 255 at most
  const bool fast =
      state == Rule::State::placing && rule.fixed_end && first.loads <= 1 && last < 32;
  rule.fast_bytes = fast ? rule.size * heap::Granules::kBytes : 0;
  sites::table.reset(context.site);
  if (state == Rule::State::plain || state == Rule::State::suspended) settle(context);
}

void conclude(Context &context, Rule &rule, bool found) {
  leave_learner(rule);
  ++rule.tries;
  close_rule(context, rule, found ? Rule::State::placing : Rule::State::plain);
}

// Calls `visit(Context &, Rule &)` for each that is being learned.
template <class Visit>
void each_learned(Visit visit) {
  for (uint32_t i = 0; i < context_count; ++i)
    for (unsigned r = 0; r < contexts[i].rule_count; ++r)
      if (Rule &rule = contexts[i].rule(r); rule.learner != nullptr) visit(contexts[i], rule);
}

} // namespace

void begin_learning(uint32_t effort) {
  if (!learning.try_lock()) return;
  Learner::effort_left = std::min(Learner::effort_left, kMostEffort) + effort;
  each_learned([](Context &, Rule &rule) { rule.learner->restart(); });
  learning.unlock();
}

void end_learning() {
  if (!learning.try_lock()) return;
  if (Learner::effort_left != 0)
    each_learned([](Context &context, Rule &rule) {
      if (rule.learner->is_idle()) conclude(context, rule, false);
    });
  unmap_learners();
  learning.unlock();
}

void learn(Context &context, Rule &rule, heap::LocalHeap *heap, Address block,
           const Captured &captured) {
  if (!learning.try_lock()) return return_sample();
  if (rule.state == Rule::State::learning) {
    if (rule.learner == nullptr) rule.learner = take_learner();
    if (rule.learner != nullptr && rule.learner->sampled_heap != heap &&
        (rule.learner->sampled_heap == nullptr || ++rule.learner->others > Learner::kPatience)) {
      rule.learner->begin(rule.tries == 0 && !rule.has_banned);
      rule.learner->sampled_heap = heap;
      rule.learner->others = 0;
    }
    if (rule.learner == nullptr) {
      // Others are learned first.
    } else if (rule.learner->sampled_heap != heap) {
      return_sample();
    } else {
      std::lock_guard guard(heap->lock());
      const auto verdict = rule.learner->observe(rule, heap, block, captured);
      if (verdict != Learner::Verdict::undecided)
        conclude(context, rule, verdict == Learner::Verdict::found);
    }
  }
  learning.unlock();
}

namespace {

// Where nothing is placed, reservations and samples are of no use.
void end_placing(heap::LocalHeap *heap) {
  if (rules_placing != 0) return;
  {
    std::lock_guard guard(heap->lock());
    near_heap_of(heap)->give_back(true);
  }
  if (std::atomic_ref(samples_left).load(std::memory_order_relaxed) == 0) pause_sampling();
}

// What was learned is right, but does not help.
void disable_rule(Context &context, Rule &rule, heap::LocalHeap *heap) {
  if (!learning.try_lock()) return;
  if (rule.state == Rule::State::placing) {
    rule.tries = kTries;
    bump(rule.counts.disabled);
    close_rule(context, rule, Rule::State::plain);
  }
  learning.unlock();
  end_placing(heap);
}

uint64_t runs_in_trial(const Context &context, const Rule &rule) {
  return (context.leaf == nullptr ? kFirstRuns : kFirstRunsInWrapper) << rule.trials;
}

// What was learned does not help yet.
void suspend(Context &context, Rule &rule, heap::LocalHeap *heap) {
  if (runs_in_trial(context, rule) >= kMostRuns) return disable_rule(context, rule, heap);
  if (!learning.try_lock()) return;
  if (rule.state == Rule::State::placing) {
    ++rules_suspended;
    const bool is_costly = context.leaf != nullptr && rule.yield < kFewHaveTwo;
    context.countdown = (is_costly ? kLongPause : kPause) * runs_in_trial(context, rule);
    ++rule.trials;
    close_rule(context, rule, Rule::State::suspended);
  }
  learning.unlock();
  end_placing(heap);
}

// What was learned is wrong: it is learned again, a few times.
void drop(Context &context, Rule &rule) {
  if (!learning.try_lock()) return;
  if (rule.state == Rule::State::placing) {
    rule.tries = ++rule.counts.dropped > kMostDrops ? kTries : 1;
    context.patience = kFirstLook;
    close_rule(context, rule, Rule::State::plain);
  }
  learning.unlock();
}

} // namespace

void resume(Context &context, Rule &rule) {
  if (!learning.try_lock()) return;
  if (rule.state == Rule::State::suspended) {
    --rules_suspended;
    close_rule(context, rule, Rule::State::placing);
  }
  learning.unlock();
}

void verify(Context &context, Rule &rule, heap::LocalHeap *heap, Address block,
            Address friend_address) {
  if (rule.attempts % kVerifyEvery != 0) return;
  if (rule.to_verify != 0 && rule.to_verify_heap == heap) {
    std::lock_guard guard(heap->lock());
    bump(rule.counts.checked);
    rule.counts.linked += are_linked(heap, rule.to_verify, rule.to_verify_friend);
  }
  rule.to_verify = block;
  rule.to_verify_friend = friend_address;
  rule.to_verify_heap = heap;
  if (rule.counts.checked < kChecks) return;
  if (rule.counts.linked * 4 < rule.counts.checked) drop(context, rule);
  rule.counts.checked = rule.counts.linked = 0;
}

namespace {

// Whether what runs hold is used: two objects each, at least. Fewer help nobody who walks the objects, and cost those who
// walk them in the order of birth. Where a program begins many chains, the first runs of all come before the
// third run of any: so a rule that does not yield is tried again, over twice as many. Not where most runs had a second object
// already and twice as many still hold no more: those chains end. Nor where runs go on to hold less than three: to open one takes
// as long as it takes to miss the cache a few times.
enum class Yield : uint8_t { enough, perhaps_later, never };
Yield yield_of(const Context &context, Rule &rule) {
  const uint64_t runs = rule.counts.runs - rule.runs_before;
  if (runs < runs_in_trial(context, rule)) return Yield::enough;
  const uint64_t placed = rule.placed() - rule.placed_before;
  rule.runs_before = rule.counts.runs;
  rule.placed_before = rule.placed();
  if (placed >= kWorthwhile * runs) return rule.few_times = 0, Yield::enough;
  if (placed >= kLeastInRun * runs)
    return ++rule.few_times < kFewTimes ? Yield::enough : Yield::never;
  rule.few_times = 0;
  const float before =
      std::exchange(rule.yield, static_cast<float>(placed) / static_cast<float>(runs));
  return before > kMostHaveTwo ? Yield::never : Yield::perhaps_later;
}

// Whether there mostly is a friend. Not evaluated at once: where a program begins many chains, their first objects have
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

} // namespace

void evaluate(Context &context, Rule &rule, heap::LocalHeap *heap, Address friend_address) {
  if (++rule.looks % kEvaluateEvery == 0) {
    std::lock_guard guard(heap->lock());
    const bool branches =
        are_linked(heap, friend_address, friend_address + static_cast<Address>(rule.to_end));
    bump(rule.sampled);
    rule.branching += branches;
    // Elsewhere there is no knowing what lies behind a friend.
    if (heap::segment_map.kind_at(friend_address) == heap::SegmentKind::birth_pages) {
      bump(rule.in_run);
      rule.branching_in_run += branches;
    }
  }
  const uint64_t attempts = rule.attempts - rule.evaluated_at;
  if (rule.looks < kLooks && (rule.looks < kLooks / 4 || attempts < 4 * kLooks)) return;
  const bool in_vain = rule.in_vain > attempts / 2;
  const bool branches = rule.branching * 4 > rule.sampled;
  rule.looks = rule.sampled = rule.branching = rule.in_vain = 0;
  rule.evaluated_at = rule.attempts;
  const bool lonely = !has_friends(rule);
  if (in_vain || lonely) return disable_rule(context, rule, heap);
  if (const Yield yield = yield_of(context, rule); yield != Yield::enough) {
    const bool is_tree = rule.branching_in_run * kFewBranches > std::max(rule.in_run, kFewSamples);
    const bool is_hopeless = is_tree || yield == Yield::never;
    return is_hopeless ? disable_rule(context, rule, heap) : suspend(context, rule, heap);
  }
  if (!branches) return;
  if (rule.has_banned) return disable_rule(context, rule, heap);
  rule.has_banned = true;
  rule.banned = rule.first;
  drop(context, rule);
}

} // namespace abut::near
