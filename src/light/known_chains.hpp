// What is known of those who allocate, so that a request that was seen before need not be looked up as if it were the
// first. Only what the collector has been told of is known, and all is forgotten where code has gone.
#pragma once

#include "context/chain_table.hpp"

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
class KnownChains {
public:
  // Of the chain of a frame; nought if it is not known. As KnownSites::context_at().
  uint16_t context_at(context::Frame frame) const {
    uint64_t key = *frame.sp;
    for (unsigned depth = 0; depth < context::ChainTable::kDeepestAdaptive; ++depth) {
      const Place &place = places_[place_of(key)];
      if (place.key.load(std::memory_order_acquire) != key) return 0;
      const context::ChainStep step = place.step;
      std::atomic_thread_fence(std::memory_order_acquire);
      if (place.key.load(std::memory_order_relaxed) != key) return 0; // it was forgotten meanwhile
      if (!step.rule) return step.id;
      if (!context::step(step.rule, frame)) return 0;
      key = context::ChainTable::child_key(*frame.sp, step.id);
    }
    return 0;
  }

  // One thread at a time.
  void remember(context::Frame frame) {
    context::chain_table.each_step(
        frame, [this](uint64_t key, const context::ChainStep &step) { enter(key, step); });
  }
  void forget() {
    for (Place &place : places_) place.key.store(0, std::memory_order_release);
  }

private:
  struct alignas(32) Place {
    std::atomic<uint64_t> key;
    context::ChainStep step;
  };
  static constexpr unsigned kLogPlaces = 13;
  static size_t place_of(uint64_t key) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15; // of Fibonacci hashing: 2^64 / golden ratio
    return (key * kFactor) >> (64 - kLogPlaces);
  }
  void enter(uint64_t key, const context::ChainStep &step) {
    Place &place = places_[place_of(key)];
    if (place.key.load(std::memory_order_relaxed) != 0) return;
    place.step = step;
    place.key.store(key, std::memory_order_release);
  }
  Place places_[1 << kLogPlaces];
};

} // namespace abut::light
