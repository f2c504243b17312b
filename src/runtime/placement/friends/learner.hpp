// Finds out which expression, if any, leads to the friends of a context's objects.
//
// Of some allocations it records which expressions lead to live blocks, and finds some allocations later which of those
// blocks are linked to the new one. An expression is a rule when most of what it led to was linked, to ever different
// blocks, and these were not where the heap was filling anyway.
#pragma once

#include "placement/friends/rule.hpp"

namespace abut::near {

// Whether one of the blocks that begin at these addresses holds a pointer into the other. Only of blocks of `heap`,
// under its lock.
bool are_linked(heap::LocalHeap *heap, Address one, Address other);

class Learner {
public:
  enum class Verdict : uint8_t { undecided, found, near_anyway, nothing };

  // `plain_only` keeps to the expressions that are cheap to try.
  void begin(bool plain_only);

  // Records an allocation that has just been made, and evaluates those that are due.
  Verdict observe(Rule &rule, heap::LocalHeap *heap, Address block, const Captured &captured);

  Learner *next_free = nullptr;

  // Expressions that may yet be tried, by all learners together: each costs a nanosecond or two.
  static uint32_t effort_left;

  // Another time of sampling begins.
  void restart() { begun_before_ = begun_; }
  bool is_idle() const { return begun_ < begun_before_ + kFirstSamples; }

  // The heap whose allocations are sampled: only its own thread may read its blocks. Another takes over where it is idle.
  const heap::LocalHeap *sampled_heap = nullptr;
  uint32_t others = 0; // requests of other heaps meanwhile
  static constexpr uint32_t kPatience = 4096;

private:
  static constexpr unsigned kSamples = 64;
  static constexpr unsigned kFirstSamples =
      12; // where none of these has a friend, there is no use in more
  static constexpr unsigned kFullSamples =
      3; // what led to no block of the size in these, is not tried again
  static constexpr unsigned kPending = 16;
  static constexpr unsigned kDelay = 32; // allocations until a sample is looked at
  static constexpr unsigned kCandidates = 64;

  struct Candidate {
    uint64_t address : 48; // what the expression led to
    uint64_t expression : 15;
    uint64_t close : 1;
  };
  struct Sample {
    Address block;
    uint32_t due;
    uint32_t count;
    Candidate candidates[kCandidates];
  };
  struct Score {
    uint8_t met;       // led to a block of the size, when it was recorded
    uint8_t seen;      // led to a live block
    uint8_t linked;    // which was linked to the new one
    uint8_t different; // and was another one than the last
    uint8_t close;     // to where the heap was filling
    uint8_t ends;      // friends that ended where `to_end` says
    int16_t to_end;
    uint32_t last; // granule, as far as it distinguishes one from another
  };

  void record(heap::LocalHeap *heap, Address block, const Captured &captured);
  bool is_tried(bool any_met) const { return any_met || begun_ <= kFullSamples; }
  uint32_t record(Sample &sample, size_t bytes, heap::LocalHeap *heap, const Reader &reader,
                  const Alike &alike, bool &any_met);
  bool record(Sample &sample, size_t bytes, heap::LocalHeap *heap, const Reader &reader,
              unsigned expression);
  void evaluate(heap::LocalHeap *heap, const Sample &sample);
  Verdict decide(Rule &rule) const;
  int best(const Rule &rule, int but) const;
  bool good(unsigned expression) const;

  unsigned expressions_ = 0;
  uint32_t now_ = 0;
  uint32_t begun_ = 0, evaluated_ = 0;
  uint32_t begun_before_ = 0;
  uint32_t linked_closely_ = 0;
  bool any_linked_ = false;
  Sample samples_[kPending];
  Score scores_[kExpressions];
  bool alike_met_[kMostAlike]; // whether one of them led to a block of the size
  bool far_met_[Captured::kRegisters];
};

} // namespace abut::near
