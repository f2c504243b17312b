// What is known of those who allocate, so that a request that was seen before need not be looked up as if it were the
// first. Only what has been announced to the collector is known, and all is forgotten where code has gone.
#pragma once

#include "context/chain_table.hpp"

namespace abut::light {

// Sites at which chains end: what most requests differ in. Each in its place, if no other has it;
// `site << 16 | context`.
class KnownSites {
public:
  // A context, or more than any if the site is not known. Before the writer is asked whether it is ready, which it is not
  // after an announcement.
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
  // Of the chain of a frame; zero if it is not known. As KnownSites::context_at().
  uint16_t context_at(context::Frame frame) const {
    const uint16_t at_once = context_at_once(frame);
    return at_once != 0 ? at_once : follow(frame);
  }
  // The same where rbp need not be restored, else zero. In line, and without a call.
  uint16_t context_at_once(context::Frame frame) const {
    const auto *at = reinterpret_cast<const char *>(frame.sp);
    const Address last = context::stack_view.last_known(reinterpret_cast<Address>(at));
    for (uint64_t key = *frame.sp;;) {
      const Place &place = places_[place_of(key)];
      // Before the key: a reader that sees what another key leads to sees that this one has gone.
      const Onward onward{place.onward.load(std::memory_order_acquire)};
      if (place.key.load(std::memory_order_acquire) != key) return 0;
      if (onward.ends()) return onward.id();
      at += onward.bytes();
      if (reinterpret_cast<Address>(at) > last) [[unlikely]]
        return 0;
      key = onward.key_of(*reinterpret_cast<const Address *>(at));
    }
  }

  // What `table` knows. One thread at a time.
  void remember(context::ChainTable &table, context::Frame frame) {
    table.each_step(frame,
                    [this](uint64_t key, const context::ChainStep &step) { enter(key, step); });
  }
  void forget() {
    for (Place &place : places_) place.key.store(0, std::memory_order_release);
  }

private:
  // What a step is known by, and how far it is to the next return address: in one word.
  class Onward {
  public:
    static constexpr uint64_t kUnknown = uint64_t{1} << 40; // beyond every stack: rbp is needed
    constexpr explicit Onward(uint64_t word) : word_(word) {}
    constexpr Onward(uint16_t id, uint64_t bytes) : word_(uint64_t{id} << kIdShift | bytes) {}
    uint64_t word() const { return word_; }
    uint16_t id() const { return static_cast<uint16_t>(word_ >> kIdShift); }
    uint64_t bytes() const { return word_ & (kIdBit - 1); }
    bool ends() const { return bytes() == 0; }
    // As ChainTable::child_key(); what is no address leads nowhere.
    uint64_t key_of(Address return_address) const {
      return return_address | (word_ & ~(kIdBit - 1));
    }

  private:
    static constexpr unsigned kIdShift = 48;
    static constexpr uint64_t kIdBit = uint64_t{1} << kIdShift;
    uint64_t word_;
  };
  struct alignas(32) Place {
    std::atomic<uint64_t> key{0};
    std::atomic<uint64_t> onward{0};
    context::FrameRule rule; // as `onward` says that it was when it was read
  };
  static constexpr unsigned kLogPlaces = 13;
  static size_t place_of(uint64_t key) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15; // of Fibonacci hashing: 2^64 / golden ratio
    return (key * kFactor) >> (64 - kLogPlaces);
  }
  static uint64_t bytes_of(const context::FrameRule &rule) {
    const bool is_plain = rule.form == context::FrameRule::Form::from_rsp && rule.cfa_offset > 0 &&
                          rule.cfa_offset % sizeof(Address) == 0;
    return is_plain ? static_cast<uint64_t>(rule.cfa_offset) : Onward::kUnknown;
  }

  // Wherever a chain leads.
  [[gnu::noinline]] uint16_t follow(context::Frame frame) const {
    uint64_t key = *frame.sp;
    for (unsigned depth = 0; depth < context::ChainTable::kDeepestAdaptive; ++depth) {
      const Place &place = places_[place_of(key)];
      if (place.key.load(std::memory_order_acquire) != key) return 0;
      const context::ChainStep step{place.rule,
                                    Onward(place.onward.load(std::memory_order_acquire)).id()};
#if !defined(__SANITIZE_THREAD__) // which knows no fences
      std::atomic_thread_fence(std::memory_order_acquire);
#endif
      if (place.key.load(std::memory_order_relaxed) != key) return 0; // it was forgotten meanwhile
      if (!step.rule) return step.id;
      if (!context::step(step.rule, frame)) return 0;
      key = context::ChainTable::child_key(*frame.sp, step.id);
    }
    return 0;
  }

  void enter(uint64_t key, const context::ChainStep &step) {
    Place &place = places_[place_of(key)];
    if (place.key.load(std::memory_order_relaxed) != 0) return;
    place.rule = step.rule;
    const Onward onward(step.id, step.rule ? bytes_of(step.rule) : 0);
    place.onward.store(onward.word(), std::memory_order_release);
    place.key.store(key, std::memory_order_release);
  }
  Place places_[1 << kLogPlaces];
};

} // namespace abut::light
