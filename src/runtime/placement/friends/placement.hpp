// Placement beside friends: what malloc asks before it takes the next block at hand.
#pragma once

#include "base/attention.hpp"
#include "base/bump.hpp"
#include "placement/friends/judgement.hpp"
#include "placement/pools/grouping.hpp"

namespace abut::near {

// Sites are looked at while the heap grows: what stays makes it grow, and what is freed soon needs no special place. Each
// time it has grown by a quarter it is awake for some thousand allocations, and asleep again unless it found friends to
// place objects beside. So programs without friends pay one comparison a request.
inline bool is_awake() { return looks(Looker::near); }

// For measurements: friends are found, but objects lie where they would without.
extern bool forwards __attribute__((visibility("hidden")));

// Goes to sleep when the time for looking is over and nothing is placed.
void fall_asleep();
extern uint32_t looks_left;

// To pass by a site that is to be left in peace takes a part of a look's time.
inline constexpr uint32_t kPassing = 1;
inline constexpr uint32_t kLooking = 4;

// True when that was the last.
[[gnu::always_inline]] inline bool count_look(uint32_t effort) {
  const uint32_t left = std::atomic_ref(looks_left).load(std::memory_order_relaxed);
  if (left == 0) return false;
  const uint32_t rest = left > effort ? left - effort : 0;
  std::atomic_ref(looks_left).store(rest, std::memory_order_relaxed);
  return rest == 0;
}

// A look that found another thread learning, which may be long about it, has seen nothing.
inline void take_look_back() {
  const uint32_t left = std::atomic_ref(looks_left).load(std::memory_order_relaxed);
  if (left != 0) std::atomic_ref(looks_left).store(left + kLooking, std::memory_order_relaxed);
}

// Whether context_to_place() is to be asked of a request from there. Those of plain sites are passed by.
[[gnu::always_inline]] inline bool wants(Address site) {
  return is_awake() && (!is_plain(site) || count_look(kPassing));
}

// Whether nothing will be done at a site until near begins to look again, whatever is requested there.
inline bool leaves_alone(Address site) {
  if (!is_awake()) return true;
  if (std::atomic_ref(looks_left).load(std::memory_order_relaxed) != 0) return false;
  const Address met = entries[slot_of(site)].site.load(std::memory_order_relaxed);
  return is_plain(site) || (met != 0 && met != site);
}

// What is to be done at a site: nought if nothing, else what allocate() wants to be told.
inline Address context_to_place(size_t bytes, Address site) {
  if (is_plain(site)) {
    fall_asleep();
    return 0;
  }
  const bool fits = bytes <= kObjectMax;
  if (count_look(fits ? kLooking : kPassing)) fall_asleep();
  if (!fits) return 0;
  Entry *entry = &entries[slot_of(site)];
  const Address met = entry->site.load(std::memory_order_acquire);
  if (met != site) return met == 0 ? kUnknown : 0;
  Address context = entry->context.load(std::memory_order_acquire);
  if (!is_context(context)) [[unlikely]] {
    if (!is_cold(context)) return context;
    entry->context.compare_exchange_strong(context, context - 1, std::memory_order_relaxed);
    return 0;
  }
  return unless_resting(context);
}

// The short way to what context_to_place() says of a site whose objects are placed, while no looks are counted; nought
// where wants() and context_to_place() are to be asked.
[[gnu::always_inline]] inline Address context_at_once(size_t bytes, Address site) {
  if (!is_awake() || bytes > kObjectMax) return 0;
  const Entry &entry = entries[slot_of(site)];
  if (entry.site.load(std::memory_order_acquire) != site) return 0;
  const Address context = entry.context.load(std::memory_order_acquire);
  if (std::atomic_ref(looks_left).load(std::memory_order_relaxed) != 0) return 0;
  if (!is_context(context)) return context == kWrapper ? context : 0;
  return reinterpret_cast<const Context *>(context)->countdown == 0 ? context : 0;
}

// Where friends did not want a request: the next from there need not ask, if nothing will change. Either groups did not
// want it as well, or it goes with its group.
inline void note_unwanted(Address site) {
  if (leaves_alone(site) && group::is_settled(site)) remember_idle(site);
}
inline void note_grouped(Address site) {
  if (!leaves_alone(site) || !group::is_settled(site)) return;
  KnownSite &known = group::place_of(site);
  known.lead(kGroupWay);
  remember_at_once(known);
}

// What a rule's expression begins from, where all words are at hand.
[[gnu::always_inline]] inline Address base_of(const Expression &expression,
                                              const Captured &captured) {
  const Address at = captured.words[expression.base];
  if (expression.index == Expression::kNone) return at;
  return at + captured.words[expression.index] * expression.scale;
}
[[gnu::always_inline]] inline bool has_words(const Rule &rule, const Captured &captured) {
  return reinterpret_cast<Address>(&captured) + rule.reach < stack_limit(captured.stack());
}

// Where the straight path ends: right after the friend; false where it leads nowhere. `base` is what the rule's expression
// begins from, and it takes one load at most.
[[gnu::always_inline]] inline bool find_cell(const Rule &rule, Address base, Address &cell) {
  Address at = base;
  if (rule.first.loads != 0) [[likely]] {
    at += static_cast<Address>(rule.first.offset);
    if (!heap::may_hold_blocks(at)) [[unlikely]]
      return false;
    at = *reinterpret_cast<const Address *>(at);
  }
  cell = at + static_cast<Address>(rule.to_end);
  return true;
}

// What the straight path took, at `cell` or instead of that one, counted: now and then it is looked at closer.
[[gnu::returns_nonnull]] void *look_closer(void *block, Context &context, Address cell);
[[gnu::always_inline]] inline void *counted(void *block, Context &context, Address cell) {
  static_assert(kWatchEvery == 256);
  if (bump_lowest(context.first.attempts)) [[unlikely]]
    return look_closer(block, context, cell);
  return block;
}

// What a request takes, of those that come to the straight path, which all are small.
[[gnu::always_inline]] inline size_t block_bytes(size_t bytes) {
  if (bytes > heap::kSmallMax) __builtin_unreachable();
  return round_up(bytes, heap::Granules::kBytes);
}

// A block of `bytes`, which are small, for the site that `captured` tells of; null where memory is exhausted.
void *allocate(size_t bytes, const Captured &captured, Address context);

// The same where a way led there and found nothing.
void *search(size_t bytes, const Captured &captured, Address context);

// What came of the straight path.
struct Beside {
  void *block = nullptr;
  bool is_straight = false; // it was followed to its end, even if no block was there
  Address cell = kNoCell;   // where that is
};

// A cell waits right after the friend.
[[gnu::always_inline]] inline Beside take_beside(size_t bytes, Context &context, Address base) {
  const Rule &rule = context.first;
  const size_t whole = block_bytes(bytes);
  if (rule.fast_bytes != whole) [[unlikely]]
    return {};
  const unsigned size = heap::small_class(whole);
  heap::LocalHeap &heap = *heap::current;
  Address cell = kNoCell;
  if (!find_cell(rule, base, cell) || !waits_at(heap, cell, size)) [[unlikely]]
    return {nullptr, true, cell};
  return {counted(take_waiting(heap, cell, size), context, cell), true, cell};
}

// A block where it would lie without friends, after the straight path told where it would lie with them.
[[gnu::always_inline]] inline Beside forward(size_t bytes, Context &context, Address base) {
  const Rule &rule = context.first;
  const size_t whole = block_bytes(bytes);
  if (rule.forward_bytes != whole) [[unlikely]]
    return {};
  Address cell = kNoCell;
  if (!find_cell(rule, base, cell)) return {};
  __asm__ volatile("" ::"r"(cell)); // found, though for nothing
  void *block = heap::allocate_fast(whole);
  if (block == nullptr) [[unlikely]]
    return {nullptr, true, cell};
  return {counted(block, context, cell), true, cell};
}

// Placement beside a friend, where all registers are at hand; null if a closer look is needed.
[[gnu::always_inline]] inline void *allocate_beside(size_t bytes, const Captured &captured,
                                                    Address address) {
  if (!is_context(address)) [[unlikely]]
    return nullptr;
  auto &context = *reinterpret_cast<Context *>(address);
  const Rule &rule = context.first;
  if (!has_words(rule, captured)) [[unlikely]]
    return nullptr;
  return take_beside(bytes, context, base_of(rule.first, captured)).block;
}

// The same for a rule that a way leads to: `base` tells where.
[[gnu::always_inline]] inline Beside allocate_by_way(size_t bytes, Address context, Address base) {
  return take_beside(bytes, *reinterpret_cast<Context *>(context), base);
}
[[gnu::always_inline]] inline Beside forward_by_way(size_t bytes, Address context, Address base) {
  return forward(bytes, *reinterpret_cast<Context *>(context), base);
}

// The next step of the ladder, where the straight path found no cell waiting at `cell`; null if more is to be looked at.
void *place_next(size_t bytes, Address context, Address cell);
// The same where placement is only measured, and no block was at hand.
void *forward_next(size_t bytes, Address context, Address cell);

// A block of `bytes` as close to the block around `other` as may be; null where memory is exhausted.
void *allocate_near(size_t bytes, const void *other);

// Reads the options of friends and of groups.
void start();

} // namespace abut::near
