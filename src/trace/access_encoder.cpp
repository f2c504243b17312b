#include "trace/access_encoder.hpp"

#include <algorithm>
#include <cstring>

namespace abut::trace {

namespace {

// A step that came so often in a row is taken for a rule.
constexpr uint32_t kSteady = 6;
constexpr uint64_t kOdd = 0x9e3779b97f4a7c15U;
// Further apart, addresses outside of objects have nothing to do with each other.
constexpr uint64_t kNear = 4096;

uint64_t hash_of(const Rule &rule) {
  const uint64_t small = uint64_t{rule.site} << 32 | rule.back << 8 |
                         static_cast<uint32_t>(rule.object_width) << 4 |
                         static_cast<uint32_t>(rule.offset_width);
  return mixed(mixed(mixed(small) + rule.object_step) + rule.offset_step);
}

uint64_t hash_of(std::span<const uint32_t> rules) {
  uint64_t hash = rules.size();
  for (const uint32_t rule : rules) hash = mixed(hash + rule);
  return hash;
}

void put_low_bytes(Bytes &bytes, size_t &end, uint64_t value, uint32_t count) {
  std::memcpy(bytes.data() + end, &value, sizeof value);
  end += count;
}

} // namespace

AccessEncoder::AccessEncoder(bool with_codes) : with_codes_(with_codes) { clear(); }

void AccessEncoder::clear() {
  for (const SiteNumber site : used_) known_[site] = Known{};
  used_.clear();
  rules_.clear();
  site_of_rule_.clear();
  rule_index_.clear();
  lists_ = {};
  groups_.assign(1, Group{0, 0, false});
  checks_.clear();
  group_index_.clear();
  guesses_.assign(size_t{2} << kGuessBits, 0);
  ring_.fill(Place{});
  symbols_.clear();
  objects_end_ = offsets_end_ = 0;
  threads_.clear();
  before_ = count_ = thread_ = thread_began_ = 0;
}

SiteNumber AccessEncoder::site(const Site &site) {
  sites_.push_back(site);
  known_.emplace_back();
  return static_cast<SiteNumber>(sites_.size() - 1);
}

// The number of this site, the same each time.
SiteNumber AccessEncoder::same_site(const Site &wanted) {
  const uint64_t hash = mixed(mixed(wanted.code) + (uint64_t{wanted.size} << 8 | wanted.kind));
  SiteNumber number = site_index_.find(hash, [&](uint32_t n) { return sites_[n] == wanted; });
  if (number != HashIndex::kNone) return number;
  number = site(wanted);
  site_index_.add(hash, number);
  return number;
}

void AccessEncoder::add(const Access &access) {
  const SiteNumber site = same_site({access.code, access.size, kind_of(access.write, access.side)});
  const Place place{access.object, access.offset};
  add(access.thread, {&site, 1}, &place);
}

void AccessEncoder::add(uint32_t thread, std::span<const SiteNumber> sites, const Place *places) {
  if (thread != thread_) [[unlikely]]
    begin_thread(thread);
  uint64_t path = sites.size();
  for (uint32_t i = 0; i < sites.size(); ++i) {
    path = (path << 7 | path >> 57) ^ sites[i];
    ring(count_ + i) = places[i];
  }
  uint32_t &likely = guesses_[mixed(path) >> (64 - kGuessBits)];
  uint32_t &guess =
      guesses_[(size_t{1} << kGuessBits) + (mixed(path + before_ * kOdd) >> (64 - kGuessBits))];
  if (!apply(groups_[guess], sites)) [[unlikely]] {
    guess = likely;
    if (!apply(groups_[guess], sites)) apply(groups_[guess = describe(sites)], sites);
  }
  if (groups_[guess].open) {
    if (is_steady(groups_[guess], sites)) [[unlikely]] {
      take_back(sites);
      apply(groups_[guess = describe(sites)], sites);
    }
    emit_steps(groups_[guess]);
  }
  likely = before_ = guess;
  symbols_.push_back(static_cast<uint16_t>(guess - 1));
  count_ += static_cast<uint32_t>(sites.size());
}

// Takes the run for this group; false, and nothing is changed, where it is not. All is compared at once: one branch.
inline bool AccessEncoder::apply(const Group &group, std::span<const SiteNumber> sites) {
  const size_t count = sites.size();
  if (group.count != count) return false;
  const Check *check = checks_.data() + group.begin;
  Known *known = known_.data();
  Place wrong{};
  SiteNumber other = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const SiteNumber site = sites[i];
    const uint32_t access = count_ + i;
    const Place here = ring_[access % kRing];
    const Place last = known[site].last;
    const Place *from =
        check[i].back == 0 ? &known[site].last : &ring_[(access - check[i].back) % kRing];
    const Place told = here - *from - check[i].step;
    wrong |= told & check[i].fixed;
    other |= check[i].site ^ site;
    told_[i] = told;
    before_run_[i] = last;
    known[site].last = here;
  }
  if ((wrong[0] | wrong[1] | other) == 0) [[likely]]
    return true;
  take_back(sites);
  return false;
}

void AccessEncoder::take_back(std::span<const SiteNumber> sites) {
  for (size_t i = sites.size(); i > 0; --i) known_[sites[i - 1]].last = before_run_[i - 1];
}

// Whether a step that is left open has become so regular that there is a better rule.
bool AccessEncoder::is_steady(const Group &group, std::span<const SiteNumber> sites) {
  bool steady = false;
  for (uint32_t i = 0; i < group.count; ++i) {
    const Check &check = checks_[group.begin + i];
    if (check.object_bytes + check.offset_bytes == 0) continue;
    Known &known = known_[sites[i]];
    const Place step = told_[i] + check.step;
    const bool same =
        ((step[0] ^ known.step[0]) | (step[1] ^ known.step[1])) == 0 && known.back == check.back;
    known.repeats = same ? known.repeats + 1 : 0;
    known.step = step;
    known.back = check.back;
    steady |= known.repeats == kSteady;
  }
  return steady;
}

// Puts the steps that are left open into their columns.
void AccessEncoder::emit_steps(const Group &group) {
  constexpr size_t kMost = kMostInGroup * sizeof(uint64_t);
  if (objects_end_ + kMost > objects_.size()) objects_.resize(2 * objects_.size() + kMost);
  if (offsets_end_ + kMost > offsets_.size()) offsets_.resize(2 * offsets_.size() + kMost);
  for (uint32_t i = 0; i < group.count; ++i) {
    const Check &check = checks_[group.begin + i];
    put_low_bytes(objects_, objects_end_, told_[i][0], check.object_bytes);
    put_low_bytes(offsets_, offsets_end_, told_[i][1], check.offset_bytes);
  }
}

// ---- what is new ----

uint32_t AccessEncoder::describe(std::span<const SiteNumber> sites) {
  std::array<uint32_t, kMostInGroup> rules;
  for (uint32_t i = 0; i < sites.size(); ++i) {
    rules[i] = rule_for(sites[i], i);
    before_run_[i] = known_[sites[i]].last;
    known_[sites[i]].last = ring(count_ + i);
  }
  take_back(sites);
  return group_of({rules.data(), sites.size()});
}

// How far back lies what the access is best told from; 0: the last of its site.
uint32_t AccessEncoder::reference(const Known &known, uint32_t index) {
  const uint32_t access = count_ + index;
  const Place &here = ring(access);
  const auto is_near = [&](const Place &there) {
    return there[0] == here[0] && (here[0] != 0 || there[1] - here[1] + kNear < 2 * kNear);
  };
  const bool same = known.described && is_near(known.last);
  if (same && known.last[1] == here[1]) return 0;
  for (uint32_t back = 1; back <= index; ++back)
    if (is_near(ring(access - back))) return back;
  if (same) return 0;
  for (uint32_t back = index + 1; back <= kWindow; ++back)
    if (is_near(ring(access - back))) return back;
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
  rule.back = reference(known, index);
  const uint32_t access = count_ + index;
  const Place step = ring(access) - (rule.back == 0 ? known.last : ring(access - rule.back));
  const bool is_other = !known.described || known.back != rule.back;
  const bool same = ((step[0] ^ known.step[0]) | (step[1] ^ known.step[1])) == 0;
  const bool lasting = same && known.repeats >= kSteady;
  const bool steady = is_other || lasting;
  const auto choose = [steady](uint64_t now, Width &width_so_far, Width &width, uint64_t &told) {
    told = now;
    if (now == 0 || steady) return;
    width = width_so_far = std::max(width_so_far, narrowest(now));
    told = least_of(width);
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
  const uint64_t hash = hash_of(rule);
  uint32_t number = rule_index_.find(hash, [&](uint32_t n) { return rules_[n] == rule; });
  if (number != HashIndex::kNone) return number;
  number = static_cast<uint32_t>(rules_.size());
  rules_.push_back(rule);
  site_of_rule_.push_back(site);
  rule_index_.add(hash, number);
  return number;
}

uint32_t AccessEncoder::group_of(std::span<const uint32_t> rules) {
  const uint64_t hash = hash_of(rules);
  uint32_t number = group_index_.find(hash, [&](uint32_t n) {
    return groups_[n].count == rules.size() &&
           std::equal(rules.begin(), rules.end(), lists_.rules.begin() + groups_[n].begin);
  });
  if (number != HashIndex::kNone) return number;
  number = static_cast<uint32_t>(groups_.size());
  Group group{static_cast<uint32_t>(checks_.size()), static_cast<uint32_t>(rules.size()), false};
  for (const uint32_t name : rules) {
    const Rule &rule = rules_[name];
    checks_.push_back({Place{rule.object_step, rule.offset_step},
                       Place{~bits_of(rule.object_width), ~bits_of(rule.offset_width)},
                       site_of_rule_[name], rule.back,
                       static_cast<uint8_t>(bytes_of(rule.object_width)),
                       static_cast<uint8_t>(bytes_of(rule.offset_width))});
    group.open |= rule.object_width != Width::none || rule.offset_width != Width::none;
    lists_.rules.push_back(name);
  }
  lists_.ends.push_back(static_cast<uint32_t>(lists_.rules.size()));
  groups_.push_back(group);
  group_index_.add(hash, number);
  return number;
}

// ---- threads, and the end ----

void AccessEncoder::begin_thread(uint32_t thread) {
  end_thread();
  thread_ = thread;
}

void AccessEncoder::end_thread() {
  if (count_ == thread_began_) return;
  put_varint(threads_, thread_);
  put_varint(threads_, count_ - thread_began_);
  thread_began_ = count_;
}

AccessColumns AccessEncoder::finish() {
  AccessColumns columns;
  end_thread();
  std::vector<Site> sites;
  for (const SiteNumber site : used_) sites.push_back(sites_[site]);
  if (count_ != 0) {
    put_sites(columns.sites, sites, with_codes_);
    put_rules(columns.rules, rules_);
    put_groups(columns.groups, lists_);
  }
  const auto *symbols = reinterpret_cast<const uint8_t *>(symbols_.data());
  columns.symbols.assign(symbols, symbols + symbols_.size() * sizeof(uint16_t));
  columns.objects.assign(objects_.begin(), objects_.begin() + static_cast<ptrdiff_t>(objects_end_));
  columns.offsets.assign(offsets_.begin(), offsets_.begin() + static_cast<ptrdiff_t>(offsets_end_));
  columns.threads = std::move(threads_);
  clear();
  return columns;
}

} // namespace abut::trace
