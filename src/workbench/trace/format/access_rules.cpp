// How the encoder describes a run that no group describes: it chooses a rule for each access, and makes a group of them.
#include "trace/format/access_encoder.hpp"

#include <algorithm>
#include <utility>

namespace abut::trace {

namespace {

// Further apart, addresses outside of objects have nothing to do with each other.
constexpr uint64_t kNear = 4096;

} // namespace

size_t AccessEncoder::Hash::operator()(const Rule &rule) const {
  const uint64_t small = uint64_t{rule.site} << 32 | rule.back << 8 |
                         static_cast<uint32_t>(rule.object_width) << 4 |
                         static_cast<uint32_t>(rule.offset_width);
  return mixed(mixed(mixed(small) + rule.object_step) + rule.offset_step);
}

size_t AccessEncoder::Hash::operator()(const std::vector<uint32_t> &rules) const {
  uint64_t hash = rules.size();
  for (const uint32_t rule : rules) hash = mixed(hash + rule);
  return hash;
}

uint32_t AccessEncoder::describe(std::span<const SiteNumber> sites) {
  std::array<uint32_t, kMostInGroup> rules;
  std::array<Place, kMostInGroup> before;
  for (uint32_t i = 0; i < sites.size(); ++i) {
    rules[i] = rule_for(sites[i], i);
    before[i] = std::exchange(last_[sites[i]], run()[i]);
  }
  for (size_t i = sites.size(); i > 0; --i) last_[sites[i - 1]] = before[i - 1];
  return group_of({rules.data(), sites.size()});
}

// How far back lies what the access is best encoded from; 0: the last of its site.
uint32_t AccessEncoder::reference(SiteNumber site, uint32_t index) {
  const Place *here = run() + index;
  const auto is_near = [here](const Place &there) {
    return there[0] == (*here)[0] && (there[0] != 0 || there[1] - (*here)[1] + kNear < 2 * kNear);
  };
  const Place &last = last_[site];
  const bool same = known_[site].described && is_near(last);
  if (same && last[1] == (*here)[1]) return 0;
  for (uint32_t back = 1; back <= index; ++back)
    if (is_near(here[-ptrdiff_t{back}])) return back;
  if (same) return 0;
  for (uint32_t back = index + 1; back <= kWindow; ++back)
    if (is_near(here[-ptrdiff_t{back}])) return back;
  return 0;
}

uint32_t AccessEncoder::rule_for(SiteNumber site, uint32_t index) {
  Known &known = known_[site];
  if (known.number == 0) {
    used_.push_back(site);
    known.number = static_cast<uint32_t>(used_.size());
  }
  Rule rule;
  rule.site = known.number - 1;
  rule.back = reference(site, index);
  const Place *here = run() + index;
  const Place step = *here - (rule.back == 0 ? last_[site] : here[-ptrdiff_t{rule.back}]);
  const bool is_other = !known.described || known.back != rule.back;
  const bool same = ((step[0] ^ known.step[0]) | (step[1] ^ known.step[1])) == 0;
  const bool lasting = same && known.repeats >= kSteady;
  const bool steady = is_other || lasting;
  const auto choose = [steady](uint64_t now, Width &width_so_far, Width &width, uint64_t &kept) {
    kept = now;
    if (now == 0 || steady) return;
    width = width_so_far = std::max(width_so_far, narrowest(now));
    kept = least_of(width);
  };
  choose(step[0], known.object_width, rule.object_width, rule.object_step);
  choose(step[1], known.offset_width, rule.offset_width, rule.offset_step);
  known.described = true;
  known.back = rule.back;
  known.step = step;
  known.repeats = lasting ? kSteady : 0;
  return number_of(rule, site);
}

uint32_t AccessEncoder::number_of(const Rule &rule, SiteNumber site) {
  const auto [found, fresh] = rule_index_.try_emplace(rule, static_cast<uint32_t>(rules_.size()));
  if (!fresh) return found->second;
  rules_.push_back(rule);
  site_of_rule_.push_back(site);
  return found->second;
}

// Where the next check of a group that is being put together looks: a run is checked before its places become the last
// of their sites.
uint32_t AccessEncoder::from_of(const Group &group, uint32_t rule) const {
  if (rules_[rule].back != 0) return rules_[rule].back;
  const SiteNumber site = site_of_rule_[rule];
  for (size_t i = checks_.size(); i > group.begin; --i)
    if (checks_[i - 1].site == site) return static_cast<uint32_t>(checks_.size() - i + 1);
  return 0;
}

uint32_t AccessEncoder::group_of(std::span<const uint32_t> rules) {
  const auto [found, fresh] = group_index_.try_emplace(
      std::vector<uint32_t>(rules.begin(), rules.end()), static_cast<uint32_t>(groups_.size()));
  if (!fresh) return found->second;
  Group group;
  group.begin = static_cast<uint32_t>(checks_.size());
  group.count = static_cast<uint32_t>(rules.size());
  group.open_begin = static_cast<uint32_t>(open_.size());
  for (const uint32_t name : rules) {
    const Rule &rule = rules_[name];
    checks_.push_back({Place{rule.object_step, rule.offset_step},
                       Place{~bits_of(rule.object_width), ~bits_of(rule.offset_width)},
                       site_of_rule_[name], rule.back, from_of(group, name),
                       static_cast<uint8_t>(bytes_of(rule.object_width)),
                       static_cast<uint8_t>(bytes_of(rule.offset_width))});
    if (rule.object_width != Width::none || rule.offset_width != Width::none)
      open_.push_back(static_cast<uint8_t>(checks_.size() - 1 - group.begin));
    lists_.rules.push_back(name);
  }
  group.open_end = static_cast<uint32_t>(open_.size());
  lists_.ends.push_back(static_cast<uint32_t>(lists_.rules.size()));
  groups_.push_back(group);
  return found->second;
}

} // namespace abut::trace
