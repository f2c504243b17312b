// What is known of the objects of one size that one context allocates: whether they have friends, and how to find them.
#pragma once

#include "context/chain_table.hpp"
#include "placement/friends/expression.hpp"
#include "placement/friends/near_heap.hpp"

namespace abut::near {

class Learner;

struct Rule {
  enum class State : uint8_t {
    learning,
    placing,
    suspended, // for as many requests as its context lets pass
    plain
  };

  // What the fast path reads.
  size_t fast_bytes = 0; // a block's, while the fast path will do
  uint8_t reach = 0;     // bytes from the first captured word to the last that the expression reads
  Expression first;
  int64_t to_end =
      0; // from what the expression yields to the end of the friend, where that is `fixed_end`
  uint64_t attempts = 0;

  Expression second; // where the first leads nowhere
  State state = State::learning;
  uint8_t size = 0;   // granules
  uint8_t tries = 0;  // of learning
  uint8_t trials = 0; // of placing, that did not yield
  bool has_second = false;
  bool fixed_end = false;
  bool has_banned = false;
  Expression banned; // led to friends that have several objects after them
  uint8_t rest = 0;  // attempts that skip the slow path
  uint8_t next_rest = 0;
  Learner *learner = nullptr;

  // Since the rule was last evaluated.
  uint32_t looks = 0, sampled = 0, branching = 0, in_vain = 0;
  uint64_t evaluated_at = 0;                 // attempts
  uint32_t in_run = 0, branching_in_run = 0; // of those sampled, in all
  uint64_t runs_before = 0, placed_before = 0;
  float yield = 0;       // objects placed for each run, in the trial before
  uint8_t few_times = 0; // evaluations in a row that found runs of few objects
  uint64_t asked_before = 0, lonely_before = 0;
  uint32_t lonely_times = 0; // evaluations in a row

  // Outcomes, for its evaluation and for statistics.
  struct Counts {
    uint64_t runs;        // opened
    uint64_t holes;       // found on the friend's page
    uint64_t no_friend;   // the expression led nowhere
    uint64_t near_anyway; // the friend was close to where the heap fills
    uint64_t over_budget;
    uint64_t not_ours;        // what the expression led to was no block of this heap
    uint32_t checked, linked; // placed objects looked at later, and those linked to their friends
    uint64_t rested;
    uint32_t dropped, disabled;
  } counts{};

  uint64_t placed() const {
    return attempts - counts.no_friend - counts.near_anyway - counts.over_budget - counts.not_ours -
           counts.rested;
  }

  // One placed object that is looked at later.
  Address to_verify = 0;
  Address to_verify_friend = 0;
  const heap::LocalHeap *to_verify_heap =
      nullptr; // whose object it is: only that heap's thread may read it
};

inline bool is_found(Rule::State state) {
  return state == Rule::State::placing || state == Rule::State::suspended;
}

// A context's rules, one a size. Contexts that allocate many sizes place none but the first few. Most allocate one.
struct Context {
  static constexpr unsigned kRules = 4;
  static constexpr unsigned kFurther = kRules - 1;

  Address site = 0;               // the return address of its calls
  context::Entry *leaf = nullptr; // of the chain that ends here, where the site is in a wrapper
  uint32_t countdown = 0;         // allocations to skip before the next attempt
  uint32_t patience = 0;          // what the countdown begins from next time
  uint32_t rule_count = 0;
  uint32_t undecided = 0; // rules that still learn
  Rule first;
  Rule *further = nullptr; // kFurther of them

  Rule *rule_for(unsigned size) {
    if (first.size == size) [[likely]] // zero while there is none
      return &first;
    for (unsigned i = 1; i < rule_count; ++i)
      if (further[i - 1].size == size) return &further[i - 1];
    return nullptr;
  }
  Rule &rule(unsigned i) { return i == 0 ? first : further[i - 1]; }
  const Rule &rule(unsigned i) const { return i == 0 ? first : further[i - 1]; }
};

} // namespace abut::near
