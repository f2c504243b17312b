// Turns accesses into columns, a chunk at a time. How well it foretells is its own affair: whatever it chooses, a
// decoder gets back the same accesses.
#pragma once

#include "trace/format/access_columns.hpp"
#include "trace/format/rules.hpp"
#include "trace/hash_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace abut::trace {

// What is known of a site, by the number that the encoder gave it.
using SiteNumber = uint32_t;

class AccessEncoder {
public:
  // `with_codes`: keeps the addresses of the instructions. They tell sites apart in any case.
  explicit AccessEncoder(bool with_codes = false);

  // A new site's number, which holds for all chunks.
  SiteNumber site(const Site &site);
  // Accesses that came one after another, at most kMostInGroup. It pays to pass as one run what is likely to
  // come again as a run.
  void add(uint32_t thread, std::span<const SiteNumber> sites, const Place *places);

  void add(const Access &access);

  uint32_t count() const { return count_; }
  // The chunk should end here.
  bool full() const { return groups_.size() >= kFull; }

  // The chunk's columns; the encoder begins a new chunk.
  AccessColumns finish();

private:
  static constexpr uint32_t kFull = kMostGroups - 64;
  // A step that came so often in a row is taken for a rule.
  static constexpr uint32_t kSteady = 6;
  static constexpr unsigned kGuessBits = 14;
  static constexpr size_t kHistory = kWindow + 4096;

  struct Known {
    Place step{};                     // of the last access that was described
    uint32_t number = 0;              // 1 + the one in this chunk; 0: none yet
    uint32_t back = 0;                // what the step is from
    uint32_t repeats = 0;             // of the step
    Width object_width = Width::none; // of its columns so far
    Width offset_width = Width::none;
    bool described = false;
  };
  // A rule as it is checked.
  struct Check {
    Place step;
    Place fixed; // bits that must be as foretold
    SiteNumber site;
    uint32_t back;
    uint32_t from; // the same, and never 0 where the last of the site is in the run itself
    uint8_t object_bytes;
    uint8_t offset_bytes;
  };
  struct Group {
    uint32_t begin = 0; // in the list of checks
    uint32_t count = 0;
    uint32_t open_begin = 0; // in the list of those that have steps in columns
    uint32_t open_end = 0;

    bool is_open() const { return open_begin != open_end; }
  };
  // Whether to look out for steps that repeat themselves.
  enum class FindSteps : uint8_t { no, yes };

  SiteNumber same_site(const Site &site);
  // The places of the run that is being added; those before it come before.
  Place *run() { return history_.data() + history_end_; }
  bool matches(const Group &group, std::span<const SiteNumber> sites);
  bool encode(const Group &group, FindSteps find_steps);
  static bool record_step(Known &known, Place step, uint32_t back);
  void end_run(std::span<const SiteNumber> sites);
  uint32_t describe(std::span<const SiteNumber> sites);
  uint32_t rule_for(SiteNumber site, uint32_t index);
  struct Hash {
    size_t operator()(const Site &site) const;
    size_t operator()(const Rule &rule) const;
    size_t operator()(const std::vector<uint32_t> &rules) const;
  };

  uint32_t reference(SiteNumber site, uint32_t index);
  uint32_t number_of(const Rule &rule, SiteNumber site);
  uint32_t from_of(const Group &group, uint32_t rule) const;
  uint32_t group_of(std::span<const uint32_t> rules);
  void begin_thread(uint32_t thread);
  void end_thread();
  void clear();

  std::vector<Site> sites_;
  std::vector<Known> known_; // of each site
  std::vector<Place> last_;  // of each site
  tsl::robin_map<Site, SiteNumber, Hash> site_index_;
  std::vector<SiteNumber> used_; // in this chunk

  std::vector<Rule> rules_;
  std::vector<SiteNumber> site_of_rule_;
  tsl::robin_map<Rule, uint32_t, Hash> rule_index_;
  Groups lists_;
  std::vector<Group> groups_; // the first stands for nothing
  std::vector<Check> checks_;
  std::vector<uint8_t> open_;                                         // in each group
  tsl::robin_map<std::vector<uint32_t>, uint32_t, Hash> group_index_; // by rules
  // Groups, by the sites that they are of; the second half, by the group before, too.
  std::vector<uint32_t> guesses_;

  std::vector<Place> history_;
  size_t history_end_ = kWindow;
  std::vector<uint16_t> symbols_;
  Bytes objects_, offsets_;
  size_t objects_end_ = 0, offsets_end_ = 0;
  Bytes threads_;
  uint32_t before_ = 0; // the group that was last
  uint32_t count_ = 0;
  uint32_t thread_ = 0;
  uint32_t thread_began_ = 0;
  bool with_codes_;
};

} // namespace abut::trace
