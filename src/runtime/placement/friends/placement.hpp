// Where a block comes from, while a policy is enabled: plain, beside a friend, or from a pool.
#pragma once

#include "base/bump.hpp"
#include "heap/huge_blocks.hpp"
#include "placement/friends/evaluation.hpp"
#include "placement/friends/sample_times.hpp"
#include "placement/pools/grouping.hpp"

namespace abut::near {

// Where a request is served: the plain heap, beside a friend (by the site's context), or the context's pool.
struct Decision {
  sites::Kind kind;
  Address context = 0; // what allocate() is to be given
};

// Where the table of sites does not say it at once.
Decision decide_slow(size_t bytes, Address site);

[[gnu::always_inline]] inline Decision decide(size_t bytes, Address address) {
  if (const sites::Site *site = sites::table.find(address)) {
    const sites::Kind kind = site->decided();
    if (kind == sites::Kind::beside || kind == sites::Kind::always_beside)
      return {sites::Kind::beside, site->context.load(std::memory_order_acquire)};
    if (kind != sites::Kind::undecided) return {kind};
  }
  return decide_slow(bytes, address);
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

// The place right after the friend; false where the rule leads nowhere. `base` is what its expression begins from, and it takes
// one load at most.
[[gnu::always_inline]] inline bool find_cell(const Rule &rule, Address base, Address &cell) {
  Address at = base;
  if (rule.first.loads != 0) [[likely]] {
    at += static_cast<Address>(rule.first.offset);
    if (at % sizeof(Address) == 0 && heap::may_hold_blocks(at)) [[likely]]
      at = *reinterpret_cast<const Address *>(at);
    else if (at = heap::read_huge(at); at == 0)
      return false;
  }
  cell = at + static_cast<Address>(rule.to_end);
  return true;
}

// A block that the fast path took at `cell`, counted; of many, one is verified.
[[gnu::returns_nonnull]] void *count_slow(void *block, Context &context, Address cell);
[[gnu::always_inline]] inline void *counted(void *block, Context &context, Address cell) {
  static_assert(kVerifyEvery == 256);
  if (bump_lowest(context.first.attempts)) [[unlikely]]
    return count_slow(block, context, cell);
  return block;
}

// What a small request takes.
[[gnu::always_inline]] inline size_t block_bytes(size_t bytes) {
  if (bytes > kPlacedMost) __builtin_unreachable();
  return round_up(bytes, heap::Granules::kBytes);
}

// A block of `bytes`, which are small, for a captured request; null where memory is exhausted.
void *allocate(size_t bytes, const Captured &captured, Address context);

// Placement right after a friend, where all registers are at hand and a cell is reserved; null if the slow path is needed.
[[gnu::always_inline]] inline void *allocate_beside(size_t bytes, const Captured &captured,
                                                    Address address) {
  if (!is_context(address)) [[unlikely]]
    return nullptr;
  auto &context = *reinterpret_cast<Context *>(address);
  const Rule &rule = context.first;
  const size_t whole = block_bytes(bytes);
  if (rule.fast_bytes != whole || !has_words(rule, captured)) [[unlikely]]
    return nullptr;
  const unsigned size = heap::small_class(whole);
  heap::LocalHeap &heap = *heap::current;
  Address cell = 0;
  if (!find_cell(rule, base_of(rule.first, captured), cell) || !is_reserved_at(heap, cell, size))
      [[unlikely]]
    return nullptr;
  return counted(take_reserved(heap, cell, size), context, cell);
}

// A block of `bytes` as close to the block around `other` as may be; null where memory is exhausted.
void *allocate_near(size_t bytes, const void *other);

void start(const Place &place);

} // namespace abut::near
