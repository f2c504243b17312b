#include "trace/format/access_decoder.hpp"

#include <algorithm>
#include <cstring>

namespace abut::trace {

namespace {

uint64_t load64(const uint8_t *from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

} // namespace

AccessDecoder::AccessDecoder() {
  next_.resize(kBatch + 2 * kMostInGroup);
  places_.resize(kWindow + kBatch);
  arrays_.objects.resize(kBatch);
  arrays_.offsets.resize(kBatch);
  arrays_.sizes.resize(kBatch);
  arrays_.kinds.resize(kBatch);
  arrays_.threads.resize(kBatch);
  arrays_.codes.resize(kBatch);
  arrays_.sources.resize(kBatch);
}

AccessDecoder::Step AccessDecoder::step_of(const Rule &rule, const Site &site) const {
  Step step{};
  step.step = Place{rule.object_step, rule.offset_step};
  step.mask = Place{bits_of(rule.object_width), bits_of(rule.offset_width)};
  step.code = site.code;
  step.site = rule.site;
  step.size = site.size;
  step.back = static_cast<uint16_t>(rule.back);
  step.object_bytes = static_cast<uint8_t>(bytes_of(rule.object_width));
  step.offset_bytes = static_cast<uint8_t>(bytes_of(rule.offset_width));
  step.kind = site.kind;
  step.source = site.source;
  return step;
}

bool AccessDecoder::read_rules() {
  std::vector<Site> sites;
  std::vector<Rule> rules;
  if (!get_sites(columns_->sites, sites) || !get_rules(columns_->rules, sites.size(), rules) ||
      !get_groups(columns_->groups, rules.size(), groups_))
    return false;
  steps_.clear();
  for (const Rule &rule : rules) steps_.push_back(step_of(rule, sites[rule.site]));
  // A group is unfolded in pieces, which may reach beyond it.
  groups_.rules.resize(groups_.rules.size() + kMostInGroup, 0);
  sites_.assign(sites.size(), Place{});
  return true;
}

bool AccessDecoder::begin(uint32_t count, const AccessColumns &columns) {
  columns_ = &columns;
  count_ = count;
  done_ = kept_ = 0;
  thread_at_ = thread_left_ = 0;
  next_begin_ = next_end_ = symbols_done_ = 0;
  failed_ = count != 0 && !read_rules();
  std::fill_n(places_.begin(), kWindow, Place{});
  cursor_ = {columns.objects.data(), columns.offsets.data()};
  return !failed_;
}

uint32_t AccessDecoder::next(uint32_t most) {
  const uint32_t count = std::min({most, kBatch, left()});
  if (failed_ || count == 0) return 0;
  keep_window(kept_);
  failed_ = !unfold(count);
  if (failed_) return 0;
  decode(count);
  done_ += count;
  kept_ = count;
  const bool at_end =
      left() != 0 || (next_begin_ == next_end_ && 2 * symbols_done_ == columns_->symbols.size());
  failed_ = !at_end || !within_columns() || !fill_threads(count);
  return failed_ ? 0 : count;
}

// What was decoded last becomes what went before.
void AccessDecoder::keep_window(uint32_t decoded) {
  std::memmove(places_.data(), places_.data() + decoded, kWindow * sizeof(Place));
}

// Turns groups into their rules until there are `count`. False where they run out, or where one is none.
bool AccessDecoder::unfold(uint32_t count) {
  constexpr uint32_t kPiece = 8;
  std::copy(next_.data() + next_begin_, next_.data() + next_end_, next_.data());
  next_end_ -= next_begin_;
  next_begin_ = 0;
  const uint8_t *symbols = columns_->symbols.data();
  const size_t symbol_count = columns_->symbols.size() / sizeof(uint16_t);
  while (next_end_ < count) {
    if (symbols_done_ == symbol_count) return false;
    uint16_t symbol;
    std::memcpy(&symbol, symbols + symbols_done_++ * sizeof symbol, sizeof symbol);
    if (symbol >= groups_.ends.size()) return false;
    const uint32_t begin = symbol == 0 ? 0 : groups_.ends[symbol - 1];
    const uint32_t length = groups_.ends[symbol] - begin;
    for (uint32_t i = 0; i < length; i += kPiece)
      std::memcpy(&next_[next_end_ + i], &groups_.rules[begin + i], kPiece * sizeof(uint32_t));
    next_end_ += length;
  }
  return true;
}

// No branch depends on the data.
void AccessDecoder::decode(uint32_t count) {
  Cursor at = cursor_;
  Place *place = places_.data() + kWindow;
  Place *sites = sites_.data();
  const Step *steps = steps_.data();
  const uint32_t *next = next_.data();
  uint64_t *objects = arrays_.objects.data();
  uint64_t *offsets = arrays_.offsets.data();
  uint32_t *sizes = arrays_.sizes.data();
  uint8_t *kinds = arrays_.kinds.data();
  uint64_t *codes = arrays_.codes.data();
  uint8_t *sources = arrays_.sources.data();
  for (uint32_t i = 0; i < count; ++i, ++place) {
    const Step &step = steps[next[i]];
    const Place rest = Place{load64(at.objects), load64(at.offsets)} & step.mask;
    at.objects += step.object_bytes;
    at.offsets += step.offset_bytes;
    Place &site = sites[step.site];
    const Place *from = step.back == 0 ? &site : place - step.back;
    const Place here = *from + (rest + step.step);
    *place = here;
    site = here;
    objects[i] = here[0];
    offsets[i] = here[1];
    sizes[i] = step.size;
    kinds[i] = step.kind;
    codes[i] = step.code;
    sources[i] = step.source;
  }
  cursor_ = at;
  next_begin_ = count;
}

bool AccessDecoder::within_columns() const {
  const auto within = [](const uint8_t *at, const Bytes &column) {
    return static_cast<size_t>(at - column.data()) + kSlack <= column.size();
  };
  return within(cursor_.objects, columns_->objects) && within(cursor_.offsets, columns_->offsets);
}

bool AccessDecoder::fill_threads(uint32_t count) {
  for (uint32_t filled = 0; filled < count;) {
    if (thread_left_ == 0) {
      ByteReader runs(ByteView(columns_->threads).subspan(thread_at_));
      const size_t before = runs.left();
      thread_ = runs.number32();
      thread_left_ = runs.varint();
      thread_at_ += before - runs.left();
      if (runs.failed() || thread_left_ == 0) return false;
    }
    const auto run = static_cast<uint32_t>(std::min<uint64_t>(thread_left_, count - filled));
    // Most batches are of one thread, and so was the one before.
    const bool whole = filled == 0 && run == count;
    if (!whole || all_threads_ != thread_) {
      const uint32_t length = whole ? kBatch : run;
      std::fill_n(arrays_.threads.begin() + filled, length, thread_);
      all_threads_ = whole ? thread_ : kMixed;
    }
    filled += run;
    thread_left_ -= run;
  }
  return true;
}

} // namespace abut::trace
