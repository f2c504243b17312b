#include "trace/format/access_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace abut::trace {

namespace {

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15U;

void put_low_bytes(Bytes &bytes, size_t &end, uint64_t value, uint32_t count) {
  std::memcpy(bytes.data() + end, &value, sizeof value);
  end += count;
}

} // namespace

AccessEncoder::AccessEncoder(bool with_codes)
    : history_(kHistory + kMostInGroup), with_codes_(with_codes) {
  clear();
}

void AccessEncoder::clear() {
  for (const SiteNumber site : used_) {
    known_[site] = Known{};
    last_[site] = Place{};
  }
  used_.clear();
  rules_.clear();
  site_of_rule_.clear();
  rule_index_.clear();
  lists_ = {};
  groups_.assign(1, Group{});
  open_.clear();
  checks_.clear();
  group_index_.clear();
  guesses_.assign(size_t{2} << kGuessBits, 0);
  std::fill_n(history_.begin(), kWindow, Place{});
  history_end_ = kWindow;
  symbols_.clear();
  objects_end_ = offsets_end_ = 0;
  threads_.clear();
  before_ = count_ = thread_ = thread_began_ = 0;
}

SiteNumber AccessEncoder::site(const Site &site) {
  sites_.push_back(site);
  known_.emplace_back();
  last_.emplace_back();
  return static_cast<SiteNumber>(sites_.size() - 1);
}

size_t AccessEncoder::Hash::operator()(const Site &site) const {
  return mixed(mixed(site.code) +
               (uint64_t{site.source} << 40 | uint64_t{site.size} << 8 | site.kind));
}

// The number of this site, the same each time.
SiteNumber AccessEncoder::same_site(const Site &known) {
  const auto found = site_index_.find(known);
  return found != site_index_.end() ? found->second : site_index_[known] = site(known);
}

void AccessEncoder::add(const Access &access) {
  const SiteNumber site =
      same_site({access.code, access.size, kind_of(access.write, access.side), access.source});
  const Place place{access.object, access.offset};
  add(access.thread, {&site, 1}, &place);
}

void AccessEncoder::add(uint32_t thread, std::span<const SiteNumber> sites, const Place *places) {
  if (thread != thread_) [[unlikely]]
    begin_thread(thread);
  uint64_t path = sites.size();
  Place *here = run();
  for (uint32_t i = 0; i < sites.size(); ++i) {
    path = (path << 7 | path >> 57) ^ sites[i];
    here[i] = places[i];
  }
  uint32_t &likely = guesses_[mixed(path) >> (64 - kGuessBits)];
  uint32_t &guess =
      guesses_[(size_t{1} << kGuessBits) + (mixed(path + before_ * kOdd) >> (64 - kGuessBits))];
  if (!matches(groups_[guess], sites)) [[unlikely]] {
    guess = likely;
    if (!matches(groups_[guess], sites)) guess = describe(sites);
  }
  if (groups_[guess].is_open()) {
    const auto [objects_end, offsets_end] = std::pair(objects_end_, offsets_end_);
    if (encode(groups_[guess], FindSteps::yes)) [[unlikely]] {
      objects_end_ = objects_end;
      offsets_end_ = offsets_end;
      encode(groups_[guess = describe(sites)], FindSteps::no);
    }
  }
  end_run(sites);
  likely = before_ = guess;
  symbols_.push_back(static_cast<uint16_t>(guess - 1));
  count_ += static_cast<uint32_t>(sites.size());
}

// Whether the group describes this run. All is compared at once, and nothing written: one branch.
inline bool AccessEncoder::matches(const Group &group, std::span<const SiteNumber> sites) {
  const size_t count = sites.size();
  if (group.count != count) return false;
  const Check *check = checks_.data() + group.begin;
  const Place *last = last_.data();
  const Place *here = run();
  Place wrong{};
  SiteNumber other = 0;
  for (size_t i = 0; i < count; ++i, ++check, ++here) {
    const SiteNumber site = sites[i];
    const Place *from = check->from == 0 ? last + site : here - check->from;
    wrong |= (*here - *from - check->step) & check->fixed;
    other |= check->site ^ site;
  }
  return (wrong[0] | wrong[1] | other) == 0;
}

// Puts what the group leaves open of the run, which it must match, into the columns. True where one of the steps has
// become so regular that there is a better rule.
bool AccessEncoder::encode(const Group &group, FindSteps find_steps) {
  constexpr size_t kMost = kMostInGroup * sizeof(uint64_t);
  if (objects_end_ + kMost > objects_.size()) objects_.resize(2 * objects_.size() + kMost);
  if (offsets_end_ + kMost > offsets_.size()) offsets_.resize(2 * offsets_.size() + kMost);
  const Place *here = run();
  bool steady = false;
  for (uint32_t open = group.open_begin; open != group.open_end; ++open) {
    const uint32_t i = open_[open];
    const Check &check = checks_[group.begin + i];
    const Place step =
        here[i] - (check.from == 0 ? last_[check.site] : here[i - ptrdiff_t{check.from}]);
    const Place rest = step - check.step;
    put_low_bytes(objects_, objects_end_, rest[0], check.object_bytes);
    put_low_bytes(offsets_, offsets_end_, rest[1], check.offset_bytes);
    if (find_steps == FindSteps::yes) steady |= record_step(known_[check.site], step, check.back);
  }
  return steady;
}

// True where the step has just come for the kSteady-th time.
inline bool AccessEncoder::record_step(Known &known, Place step, uint32_t back) {
  const bool same =
      ((step[0] ^ known.step[0]) | (step[1] ^ known.step[1])) == 0 && known.back == back;
  known.repeats = same ? known.repeats + 1 : 0;
  known.step = step;
  known.back = back;
  return known.repeats == kSteady;
}

inline void AccessEncoder::end_run(std::span<const SiteNumber> sites) {
  const Place *here = run();
  for (size_t i = 0; i < sites.size(); ++i) last_[sites[i]] = here[i];
  history_end_ += sites.size();
  if (history_end_ <= kHistory) return;
  std::copy_n(history_.begin() + static_cast<ptrdiff_t>(history_end_ - kWindow), kWindow,
              history_.begin());
  history_end_ = kWindow;
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
