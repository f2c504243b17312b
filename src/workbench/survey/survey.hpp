// A recorded run, looked through once for a report: what simulators make of it, and what is drawn beside them.
//
// Time is cut into columns of as many accesses each. Where chunks are left out, they count as no time at all.
#pragma once

#include "sim/layouts/replay.hpp"
#include "survey/census.hpp"
#include "survey/heap_map.hpp"
#include "survey/usage.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace abut::report {

struct SurveySettings {
  uint32_t columns = 240;
  uint32_t most_rows = 4096; // of the heap's map while it is made
  // Chunks [from, to) whose accesses are looked at; empty: all.
  std::vector<std::pair<size_t, size_t>> windows;
  // Leave out the allocator's accesses, which belong to the layout that it made.
  bool application_only = false;
};

class Survey {
public:
  // Both must outlive it.
  Survey(trace::Reader &reader, sim::Layout &layout, SurveySettings settings);

  // Goes on to the end of a column. References are counted for the context of their object; for `by_pair`, for that and
  // the instruction, so that one simulation counts for both. False at the end.
  bool advance(std::span<sim::Consumer *const> by_context, std::span<sim::Consumer *const> by_pair);

  uint64_t accesses() const { return done_; }
  const HeapMap &map() const { return map_; }
  const Census &census() const { return census_; }
  const FieldHeat &fields() const { return fields_; }
  place::EdgeList take_co_accesses() { return co_accesses_.take(); }
  struct Pair {
    uint64_t code = 0;
    Owner context = 0;

    bool operator==(const Pair &) const = default;
  };
  // What stands for owner 1, 2 ... of `by_pair`.
  const std::vector<Pair> &pairs() const { return pairs_; }
  // For each column that has begun, how many accesses of the trace came before it, and the bytes alive at its end, and
  // the pages that they were on.
  const std::vector<uint64_t> &column_starts() const { return starts_; }
  const std::vector<uint64_t> &live_bytes() const { return live_; }
  const std::vector<uint64_t> &live_pages() const { return pages_; }

private:
  static constexpr size_t kRecent = 4096;
  struct Known {
    Pair pair;
    Owner owner = 0;
  };
  struct Mixed {
    size_t operator()(const Pair &pair) const {
      const uint64_t mixed = (pair.code ^ uint64_t{pair.context} << 40) * 0x9e3779b97f4a7c15U;
      return mixed ^ mixed >> 32;
    }
  };

  void look_at_events();
  void look_at_accesses(const sim::References &references);
  uint32_t begin_column(uint64_t clock, uint64_t position);
  void number_pairs(std::span<const Owner> contexts);
  void keep_application();
  void feed(std::span<sim::Consumer *const> consumers, std::span<const Owner> owners);
  Owner number_of(Pair pair);

  sim::Layout &layout_;
  SurveySettings settings_;
  sim::Replay replay_;
  HeapMap map_;
  Census census_;
  FieldHeat fields_;
  CoAccess co_accesses_;
  uint64_t total_ = 0; // of the clock: accesses that are looked at, or events where there are none
  uint64_t done_ = 0;  // accesses that were looked at
  uint64_t events_ = 0;
  uint64_t next_column_ = 0; // when the next begins
  bool has_accesses_ = false;
  std::vector<uint64_t> starts_;
  std::vector<uint64_t> live_;
  std::vector<uint64_t> pages_;
  std::vector<Pair> pairs_;
  std::unordered_map<Pair, Owner, Mixed> pair_numbers_;
  std::vector<Known> recent_pairs_{kRecent};
  std::vector<Owner> pair_owners_;
  // With the application alone: which of the references are its own, and those.
  std::vector<uint32_t> kept_;
  std::vector<uint64_t> addresses_;
  std::vector<uint32_t> sizes_;
  std::vector<sim::Kind> kinds_;
  std::vector<uint32_t> threads_;
  std::vector<Owner> owners_;
};

} // namespace abut::report
