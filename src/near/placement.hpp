// Placement beside friends: what malloc asks before it takes the next block at hand.
#pragma once

#include "base/bump.hpp"
#include "near/rule.hpp"

namespace abut::near {

// Placement begins when a program has allocated enough to be worth the trouble: short runs pay neither the time nor the
// memory of finding out about them.
enum class Phase : uint8_t { off, asleep, awake };
extern std::atomic<Phase> phase;
extern uint32_t calls_asleep;
inline constexpr uint32_t kCallsAsleep = 20'000;
inline constexpr size_t kWorthTheTrouble = 512 * KiB; // of small blocks

inline bool is_awake() {
  const Phase now = phase.load(std::memory_order_relaxed);
  if (now != Phase::asleep) [[likely]]
    return now == Phase::awake;
  bump(calls_asleep);
  if (calls_asleep < kCallsAsleep && heap::current->small.span_bytes() < kWorthTheTrouble)
    return false;
  phase.store(Phase::awake, std::memory_order_relaxed);
  return true;
}

inline constexpr unsigned kSiteBits = 13;
inline constexpr size_t kSiteSlots = size_t{1} << kSiteBits;
constexpr size_t slot_of(Address site) { return site % kSiteSlots; }

// Sites, by the return address of their calls, where nothing is placed: most are, and they are known by one look.
extern std::atomic<Address> plain_sites[kSiteSlots];

[[gnu::always_inline]] inline bool is_plain(Address site) {
  return plain_sites[slot_of(site)].load(std::memory_order_relaxed) == site;
}

// All other sites and what is known of them, for all threads.
struct Entry {
  std::atomic<Address> site{0};
  std::atomic<Address> context{0};
};
extern Entry entries[kSiteSlots];
inline constexpr Address kUnknown = 1; // a context that has not been met
inline constexpr unsigned kWatchEvery = 256;

// What is to be done at a site: nought if nothing, else what allocate() wants to be told.
inline Address context_to_place(size_t bytes, Address site) {
  if (bytes > kObjectMax || !is_awake()) return 0;
  const Entry *entry = &entries[slot_of(site)];
  const Address met = entry->site.load(std::memory_order_acquire);
  if (met != site) return met == 0 ? kUnknown : 0;
  const Address context = entry->context.load(std::memory_order_acquire);
  if (context == 0) return 0;
  auto *counted = reinterpret_cast<Context *>(context);
  if (counted->countdown == 0) [[likely]]
    return context;
  --counted->countdown;
  return 0;
}

extern Context *contexts;
extern uint32_t context_count;

// A block of `bytes`, which are small, for the site that `captured` tells of; null where memory is exhausted.
void *allocate(size_t bytes, const Captured &captured, Address context);

// The straight path: the friend's address takes one load at most, and a cell waits right after it.
// Null if a closer look is needed.
[[gnu::always_inline]] inline void *allocate_beside(size_t bytes, const Captured &captured,
                                                    Address address) {
  if (address == kUnknown) [[unlikely]]
    return nullptr;
  Rule &rule = reinterpret_cast<Context *>(address)->rules[0];
  auto *near_heap = static_cast<NearHeap *>(heap::current->attachment);
  const unsigned size = heap::SmallHeap::class_of(bytes);
  if (near_heap == nullptr || rule.fast_size != size || (rule.attempts + 1) % kWatchEvery == 0)
      [[unlikely]]
    return nullptr;
  // The stack's page is there, the next may not be.
  if (reinterpret_cast<Address>(&captured) % kPageBytes + rule.reach >= kPageBytes) [[unlikely]]
    return nullptr;
  Address at = captured.words[rule.first.base];
  if (rule.first.index != Expression::kNone)
    at += captured.words[rule.first.index] << rule.first.shift;
  if (rule.first.loads != 0) {
    at += static_cast<Address>(int64_t{rule.first.offset});
    if (heap::segment_map.kind_at(at) != heap::SegmentKind::pages) [[unlikely]]
      return nullptr;
    at = *reinterpret_cast<const Address *>(at);
  }
  void *block = near_heap->take_waiting(at + static_cast<Address>(int64_t{rule.to_end}), size);
  if (block != nullptr) [[likely]]
    bump(rule.attempts);
  return block;
}

// A block of `bytes` as close to the block around `other` as may be; null where memory is exhausted.
void *allocate_near(size_t bytes, const void *other);

// Calls `visit(const Context &)` for every context that was ever looked at.
template <class Visit>
void each_context(Visit visit) {
  for (uint32_t i = 0; i < context_count; ++i) visit(contexts[i]);
}

void start();

} // namespace abut::near
