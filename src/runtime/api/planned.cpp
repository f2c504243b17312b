// The way to a plan's slots: where the caller's frame is, is handed on behind the arguments.
#include "api/calls.hpp"
#include "api/export.hpp"
#include "api/frame_stub.hpp"
#include "placement/plan/follower.hpp"

#include <cstring>

using namespace abut;

ABUT_FRAME("abut_plan_malloc", "%rsi", "%rdx", "abut_planned_malloc");
ABUT_FRAME("abut_plan_calloc", "%rsi", "%rdx", "abut_planned_calloc");
ABUT_FRAME("abut_plan_new", "%rsi", "%rdx", "abut_planned_new");
ABUT_FRAME("abut_plan_near", "%rdx", "%rcx", "abut_planned_near");

// What has no place goes on as if there were no plan, with the same return address.

ABUT_BODY void *abut_planned_fast_malloc(size_t bytes, Address site) {
  const plan::Follower::Fast fast = plan::follower.take_fast(bytes, site);
  if (fast.outcome == plan::Follower::Outcome::placed) [[likely]]
    return fast.block;
  return fast.outcome == plan::Follower::Outcome::plain ? abut_unplanned_malloc(bytes, site)
                                                        : abut_plan_malloc(bytes);
}

ABUT_BODY void *abut_planned_fast_new(size_t bytes, Address site) {
  const plan::Follower::Fast fast = plan::follower.take_fast(bytes, site);
  if (fast.outcome == plan::Follower::Outcome::placed) [[likely]]
    return fast.block;
  return fast.outcome == plan::Follower::Outcome::plain ? abut_unplanned_new(bytes, site)
                                                        : abut_plan_new(bytes);
}

ABUT_BODY void *abut_planned_malloc(size_t bytes, const Address *sp, Address rbp) {
  void *memory = plan::follower.allocate(bytes, {sp, rbp});
  return memory != nullptr ? memory : abut_unplanned_malloc(bytes, *sp);
}

ABUT_BODY void *abut_planned_new(size_t bytes, const Address *sp, Address rbp) {
  void *memory = plan::follower.allocate(bytes, {sp, rbp});
  return memory != nullptr ? memory : abut_unplanned_new(bytes, *sp);
}

ABUT_BODY void *abut_planned_calloc(size_t bytes, const Address *sp, Address rbp) {
  void *memory = plan::follower.allocate(bytes, {sp, rbp});
  if (memory == nullptr) return abut_unplanned_calloc(bytes, *sp);
  return std::memset(memory, 0, bytes);
}

ABUT_BODY void *abut_planned_near(size_t bytes, const void *other, const Address *sp, Address rbp) {
  void *memory = plan::follower.allocate(bytes, {sp, rbp});
  return memory != nullptr ? memory : entry::or_no_memory(near::allocate_near(bytes, other));
}
