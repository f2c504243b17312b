// What is known of those who allocate, so that a request that was seen before need not be looked up as if it were the
// first. Only what the collector has been told of is known, and all is forgotten where code has gone.
#pragma once

#include "context/chain_table.hpp"

#include <iterator>

namespace abut::light {

// Sites at which chains end: what most requests are told apart by. Each in its place, if no other has it;
// `site << 16 | context`.
class KnownSites {
public:
  // A context, or more than any if the site is not known. Before the lane is asked whether it is ready, which it is not
  // after what is told.
  uint64_t context_at(Address site) const {
    return places_[place_of(site)].load(std::memory_order_acquire) ^ site << kIdBits;
  }
  static constexpr uint64_t kMostContext = 0xffff;
  void remember(Address site, uint16_t context) {
    places_[place_of(site)].store(site << kIdBits | context, std::memory_order_release);
  }
  void forget() {
    for (auto &place : places_) place.store(0, std::memory_order_relaxed);
  }

private:
  static constexpr unsigned kIdBits = 16;
  static constexpr unsigned kLogPlaces = 13;
  // The low bits of addresses of code are as good as any hash of them.
  static size_t place_of(Address site) { return site % (size_t{1} << kLogPlaces); }
  std::atomic<uint64_t> places_[1 << kLogPlaces];
};
// Chains that lead through wrappers to their callers: a place for each step. Those that find theirs taken are not known.
// Most lead from the stack pointer alone, so that nothing else is to be restored on the way.
class KnownChains {
public:
  // Of the chain of a frame; nought if it is not known. As KnownSites::context_at().
  uint16_t context_at(context::Frame frame) const {
    const Address end = context::stack_view.end_of_known(reinterpret_cast<Address>(frame.sp));
    const Address *sp = frame.sp;
    uint64_t key = *sp;
    for (unsigned depth = 0; depth < context::ChainTable::kDeepestAdaptive; ++depth) {
      const Place &place = places_[place_of(key)];
      if (place.key.load(std::memory_order_acquire) != key) return 0;
      const uint16_t id = place.id;
      const Skip skip = place.skip;
      std::atomic_thread_fence(std::memory_order_acquire);
      if (place.key.load(std::memory_order_relaxed) != key) return 0; // it was forgotten meanwhile
      if (skip == kEnds) return id;
      sp += skip;
      if (skip == kIsTracked || reinterpret_cast<Address>(sp + 1) > end) [[unlikely]]
        return depth == 0 ? follow(frame) : 0;
      key = context::ChainTable::child_key(*sp, id);
    }
    return 0;
  }

  // What `table` knows. One thread at a time.
  void remember(context::ChainTable &table, context::Frame frame) {
    Step steps[context::ChainTable::kDeepestAdaptive];
    unsigned count = 0;
    bool is_tracked = false;
    table.each_step(frame, [&](uint64_t key, const context::ChainStep &step) {
      if (count == std::size(steps)) return;
      steps[count++] = {key, step};
      is_tracked |= step.rule && skip_of(step.rule) == kIsTracked;
    });
    for (unsigned i = 0; i < count; ++i) enter(steps[i], is_tracked);
  }
  void forget() {
    for (Place &place : places_) place.key.store(0, std::memory_order_release);
  }

private:
  // Words from one return address of a chain to the next.
  using Skip = uint32_t;
  static constexpr Skip kEnds = 0;
  static constexpr Skip kIsTracked = 1U << 24; // rbp tells where that is, here or farther out
  struct Step {
    uint64_t key = 0;
    context::ChainStep step;
  };
  struct alignas(32) Place {
    std::atomic<uint64_t> key{0};
    Skip skip = kEnds;
    uint16_t id = 0;
    context::FrameRule rule;
  };
  static constexpr unsigned kLogPlaces = 13;
  static size_t place_of(uint64_t key) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15; // of Fibonacci hashing: 2^64 / golden ratio
    return (key * kFactor) >> (64 - kLogPlaces);
  }
  static Skip skip_of(const context::FrameRule &rule) {
    constexpr int kBytes = sizeof(Address);
    const bool is_plain = rule.form == context::FrameRule::Form::from_rsp && rule.cfa_offset > 0 &&
                          rule.cfa_offset % kBytes == 0 &&
                          rule.cfa_offset / kBytes < int{kIsTracked};
    return is_plain ? static_cast<Skip>(rule.cfa_offset / kBytes) : kIsTracked;
  }

  // The same, where rbp may be needed.
  [[gnu::noinline]] uint16_t follow(context::Frame frame) const {
    uint64_t key = *frame.sp;
    for (unsigned depth = 0; depth < context::ChainTable::kDeepestAdaptive; ++depth) {
      const Place &place = places_[place_of(key)];
      if (place.key.load(std::memory_order_acquire) != key) return 0;
      const context::ChainStep step{place.rule, place.id};
      std::atomic_thread_fence(std::memory_order_acquire);
      if (place.key.load(std::memory_order_relaxed) != key) return 0;
      if (!step.rule) return step.id;
      if (!context::step(step.rule, frame)) return 0;
      key = context::ChainTable::child_key(*frame.sp, step.id);
    }
    return 0;
  }

  // What leads to a place that is tracked is tracked, too: other chains may have left it as plain.
  void enter(const Step &entered, bool is_tracked) {
    Place &place = places_[place_of(entered.key)];
    const uint64_t before = place.key.load(std::memory_order_relaxed);
    if (before != 0 && before != entered.key) return;
    const context::FrameRule &rule = entered.step.rule;
    const Skip skip = !rule ? kEnds : is_tracked ? kIsTracked : skip_of(rule);
    if (before != 0 && (place.skip == skip || place.skip == kIsTracked)) return;
    place.key.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    place.skip = skip;
    place.id = entered.step.id;
    place.rule = rule;
    place.key.store(entered.key, std::memory_order_release);
  }
  Place places_[1 << kLogPlaces];
};

} // namespace abut::light
