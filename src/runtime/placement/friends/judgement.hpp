// What becomes of a rule: it is learned from the first objects of a site, watched while it places others, and dropped
// or given up where it turns out wrong or not worth its while.
#pragma once

#include "placement/friends/captured.hpp"
#include "placement/friends/contexts.hpp"

namespace abut::near {

// At the beginning of a time for looking, and at its end: rules that are not asked for often enough to be learned do not
// keep others waiting.
void begin_learning(uint32_t effort);
void end_learning();

inline constexpr unsigned kWatchEvery = 256; // attempts

// How many rules place objects at this time, and how many are to be tried again.
extern uint32_t rules_placing, rules_suspended;

// After the requests that a suspended rule has let pass.
void resume(Context &context, Rule &rule);

// For a size that the context has not met before; null if it has met too many. The caller holds the lock of learning.
Rule *new_rule(Context &context, unsigned size);

// Looks at the object that was just made, until it is known where the friends of such objects are found, or that they
// have none.
void learn(Context &context, Rule &rule, heap::LocalHeap *heap, Address block,
           const Captured &captured);

// Now and then a placed object is looked at later: is it linked to what was taken for its friend?
void watch(Context &context, Rule &rule, heap::LocalHeap *heap, Address block,
           Address friend_address);

// Of what a closer look finds, a sample tells whether a rule is worth its while. Not where friends are near anyway. Where
// each has several objects after it, as a parent has, only one can be the next on its line: then there may be a better
// friend, the last child.
void judge(Context &context, Rule &rule, heap::LocalHeap *heap, Address friend_address);

} // namespace abut::near
