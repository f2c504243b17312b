#include "placement/friends/sample_times.hpp"

#include "context/decoder.hpp"
#include "heap/events.hpp"
#include "placement/friends/evaluation.hpp"
#include "placement/place.hpp"
#include "placement/pools/grouping.hpp"
#include "placement/sites/site_table.hpp"

#include <algorithm>
#include <utility>

namespace abut::near {

uint32_t samples_left = 0;

namespace {

constexpr uint32_t kSamples = 2048; // requests, of one time of sampling
// After so many times that found nothing to place, the next ones are half as long, and at last a quarter.
constexpr uint32_t kTimesInVain = 4;
// Parts of the requests of a time of sampling: where so many are placed, every request may be looked at; where fewer are, but so
// many, those of a few sites.
constexpr uint32_t kMany = 4, kFew = 16;
constexpr size_t kGrown = 4; // sampling begins again when the heap has grown by such a part
constexpr size_t kLeastHeap = 2 * MiB; // of small blocks: less fits in the caches in any order
// Expressions that may be tried for each MiB that the heap has grown: finding friends costs less than a hundredth of the time
// that it takes to fill a heap.
constexpr uint32_t kEffort = 1U << 13;
constexpr uint32_t kRequestsInRefill = 1024; // or fewer
// Refills until the benefit is checked again, and until requests are sampled again where a rule paid before: more each time.
constexpr uint32_t kRefillsUntilChecked = 16, kMostRefillsUntilAgain = 256;
uint32_t refills_until_again = kRefillsUntilChecked;

uint32_t times_in_vain = 0;          // in a row
uint32_t samples = kSamples;         // of the time that is, or was
uint64_t placed_before = 0;          // when sampling began
std::atomic<size_t> bytes_before{0}; // of the heap

// A pause ends when the heaps have been refilled so often, whether or not they grow.
std::atomic<uint32_t> refills_left{0}; // zero: no pause
std::atomic<void (*)()> after_pause{nullptr};

void shorten_pause() {
  const uint32_t left = refills_left.load(std::memory_order_acquire);
  if (left == 0) return;
  refills_left.store(left - 1, std::memory_order_relaxed);
  if (left == 1) after_pause.load(std::memory_order_relaxed)();
}

void pause(uint32_t refills, void (*then)()) {
  after_pause.store(then, std::memory_order_relaxed);
  refills_left.store(refills, std::memory_order_release);
  heap::events.refilled.set_listener(shorten_pause);
}

uint64_t placed_in_all() {
  uint64_t placed = 0;
  each_context([&](const Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i) placed += context.rule(i).placed();
  });
  return placed;
}

uint64_t placed_since_last_call() {
  const uint64_t before = std::exchange(placed_before, placed_in_all());
  return placed_before - before;
}

// While friends are narrow, only requests of sites with a rule are looked at, and of those whose return addresses end in the same
// byte. The others go to the plain heap three instructions later than with no policy enabled.
std::atomic<bool> is_narrow{false};
constinit SiteLimits limits_of_others;

// Not for rules behind wrappers: to find out who calls one costs more than a look at each request.
bool has_rule_of_its_own(const Context &context) {
  bool has = false;
  for (unsigned i = 0; i < context.rule_count; ++i) has |= is_found(context.rule(i).state);
  return has && context.leaf == nullptr;
}

// False where requests must be looked at for pools, too, or where there would be none to look at.
bool make_narrow() {
  if (is_narrow.load(std::memory_order_relaxed)) return true;
  if (is_enabled(Policy::pools) || !learning.try_lock()) return false;
  bool any = false;
  limits_of_others.set_all_plain();
  each_context([&](const Context &context) {
    if (!has_rule_of_its_own(context)) return;
    limits_of_others.set_not_plain(context.site);
    any = true;
  });
  learning.unlock();
  if (!any) return false;
  heap::heap_registry.set_site_limits(limits_of_others);
  is_narrow.store(true, std::memory_order_relaxed);
  return true;
}

void make_wide() {
  if (is_narrow.exchange(false, std::memory_order_relaxed))
    heap::heap_registry.set_site_limits(kNoSiteIsPlain);
}

// Whether enough was placed since the last call to justify a decision at each request, or at those of a few sites.
bool is_beneficial() {
  const uint64_t placed = placed_since_last_call();
  if (rules_placing == 0) return false;
  return placed >= samples / kMany || (placed >= samples / kFew && make_narrow());
}

// Whether what runs hold was used while a rule placed objects: the program may come back to that.
bool a_rule_paid() {
  bool paid = false;
  each_context([&](Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i) {
      const Rule &rule = context.rule(i);
      paid |= rule.state == Rule::State::placing && rule.placed() >= kLeastInRun * rule.counts.runs;
    }
  });
  return paid;
}

void resume_sampling() {
  placed_before = placed_in_all();
  samples = kSamples >> std::min(times_in_vain / kTimesInVain, 2U);
  std::atomic_ref(samples_left).store(samples * kSampleCost, std::memory_order_relaxed);
  sites::table.reset(sites::SiteTable::Which::what_may_change);
  make_wide();
  enable(Policy::friends);
}

// Not while samples are taken: their end checks it, and what is being learned has its time.
void check_benefit() {
  if (!samples_remain()) pause_sampling();
}

template <class Visit>
void each_suspended(Visit visit) {
  each_context([&](Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i)
      if (context.rule(i).state == Rule::State::suspended) visit(context);
  });
}

// Suspended rules skip requests while others are sampled. Else they are tried again when the heaps have served as many
// requests, whether they have grown or not.
void resume_for_suspended() {
  each_suspended([](Context &context) { context.countdown = 0; });
  resume_sampling();
}
void pause_for_suspended() {
  uint32_t requests = ~uint32_t{0};
  each_suspended([&](const Context &context) { requests = std::min(requests, context.countdown); });
  pause(requests / kRequestsInRefill + 1, resume_for_suspended);
}

} // namespace

void sample_longer() {
  times_in_vain = 0;
  const uint32_t longer = kSamples - std::exchange(samples, kSamples);
  if (samples_remain())
    std::atomic_ref(samples_left).fetch_add(longer * kSampleCost, std::memory_order_relaxed);
}

void pause_sampling() {
  end_learning();
  context::rest_decoder();
  if (is_beneficial()) {
    times_in_vain = 0;
    samples = kSamples;
    refills_until_again = kRefillsUntilChecked;
    return pause(kRefillsUntilChecked, check_benefit);
  }
  ++times_in_vain;
  disable(Policy::friends);
  make_wide();
  sites::table.reset(sites::SiteTable::Which::all);
  if (rules_suspended != 0) return pause_for_suspended();
  if (!a_rule_paid()) return;
  pause(refills_until_again, resume_sampling);
  refills_until_again = std::min(2 * refills_until_again, kMostRefillsUntilAgain);
}

namespace {

// Of all heaps together, since they share the table of sites.
std::atomic<size_t> next_sampling{kLeastHeap};

void resume_when_grown(size_t held_bytes) {
  if (held_bytes < next_sampling.load(std::memory_order_relaxed)) return;
  next_sampling.store(held_bytes + held_bytes / kGrown, std::memory_order_relaxed);
  group::start_forming();
  if (place_in_force.friends == Friends::none) return;
  const size_t before = bytes_before.exchange(held_bytes, std::memory_order_relaxed);
  const size_t grown = held_bytes - std::min(before, held_bytes);
  begin_learning(static_cast<uint32_t>(grown / KiB * (kEffort / KiB)));
  resume_sampling();
}

} // namespace

void await_growth() { heap::events.grown.set_listener(resume_when_grown); }

} // namespace abut::near
