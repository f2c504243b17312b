// The life of a rule: it is learned from a site's first objects, verified and evaluated while it places others, dropped when it
// is wrong, and suspended or disabled when it does not help.
#pragma once

#include "placement/friends/captured.hpp"
#include "placement/friends/contexts.hpp"

#include <atomic>

namespace abut::near {

// At the beginning and the end of a time of sampling. Rules that get too few requests to be learned are dropped at the end, and
// leave their learner to others.
void begin_learning(uint32_t effort);
void end_learning();

inline constexpr unsigned kVerifyEvery = 256; // attempts
inline constexpr uint64_t kLeastInRun = 2;    // objects: with fewer on average, a rule does not pay

// How many rules place objects at this time, and how many are to be tried again.
extern uint32_t rules_placing, rules_suspended;

// The same rules, by the size of their objects in granules. Read without a lock.
extern std::atomic<uint32_t> rules_of_size[kSizes + 1];

// Enables a suspended rule again, once it has skipped its requests.
void resume(Context &context, Rule &rule);

// For a size that the context has not met before; null if it has met too many. The caller holds the lock of learning.
Rule *new_rule(Context &context, unsigned size);

// Takes an object that was just made as a sample, until it is known where the friends of such objects are found, or that they
// have none.
void learn(Context &context, Rule &rule, heap::LocalHeap *heap, Address block,
           const Captured &captured);

// Now and then checks whether an object that was placed earlier is linked to what was taken for its friend.
void verify(Context &context, Rule &rule, heap::LocalHeap *heap, Address block,
            Address friend_address);

// Takes a sample of what the slow path finds, and decides by it now and then whether the rule helps: it does not where friends
// are near without it, or where each has several objects after it, as a parent has, and only one can be the next on its
// line. Then there may be a better friend: the last child.
void evaluate(Context &context, Rule &rule, heap::LocalHeap *heap, Address friend_address);

} // namespace abut::near
