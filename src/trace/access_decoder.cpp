#include "trace/access_decoder.hpp"

#include <algorithm>
#include <cstring>

namespace abut::trace {

namespace {

uint64_t load64(const uint8_t *from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

uint64_t mask_of(Width width) {
  return width == Width::none ? 0 : ~uint64_t{0} >> (64 - 8 * bytes_of(width));
}

} // namespace

AccessDecoder::AccessDecoder() : rules_{} {
  places_.resize(kWindow + kBatch);
  arrays_.objects.resize(kBatch);
  arrays_.offsets.resize(kBatch);
  arrays_.sizes.resize(kBatch);
  arrays_.kinds.resize(kBatch);
  arrays_.threads.resize(kBatch);
  arrays_.codes.resize(kBatch);
}

AccessDecoder::Rule AccessDecoder::rule_of(const Tag &tag) {
  constexpr uint64_t kAll = ~uint64_t{0};
  Rule rule{};
  rule.step = Pair{tag.object_step, tag.offset_step};
  rule.mask = Pair{mask_of(tag.object_width), mask_of(tag.offset_width)};
  rule.relative = Pair{kAll, tag.relative ? kAll : 0};
  rule.size = tag.size;
  rule.distance = static_cast<uint16_t>(tag.distance);
  rule.object_bytes = static_cast<uint8_t>(bytes_of(tag.object_width));
  rule.offset_bytes = static_cast<uint8_t>(bytes_of(tag.offset_width));
  rule.kind = tag.kind;
  rule.rare = static_cast<uint8_t>((tag.distance == 0 ? kFarOff : 0) | (tag.sized ? 0 : kUnsized));
  return rule;
}

bool AccessDecoder::begin(uint32_t count, const AccessColumns &columns) {
  columns_ = &columns;
  count_ = count;
  done_ = kept_ = 0;
  thread_at_ = thread_left_ = 0;
  failed_ = columns.tags.size() != count || !get_tags(columns.dictionary, tags_) ||
            !codes_.begin(count, columns.codes);
  if (failed_) return false;
  with_codes_ = !columns.codes.empty();
  if (!with_codes_) std::fill(arrays_.codes.begin(), arrays_.codes.end(), 0);
  Rule none{};
  none.distance = 1;
  none.rare = kNoRule;
  rules_.fill(none);
  std::transform(tags_.begin(), tags_.end(), rules_.begin(), rule_of);
  std::fill_n(places_.begin(), kWindow, Pair{});
  cursor_ = {columns.distances.data(), columns.objects.data(), columns.offsets.data(),
             columns.sizes.data()};
  return true;
}

uint32_t AccessDecoder::next(uint32_t most) {
  const uint32_t count = std::min({most, kBatch, left()});
  if (failed_ || count == 0) return 0;
  keep_window(kept_);
  if (!decode(count) || !within_columns() || !fill_threads(count) ||
      (with_codes_ && !codes_.decode(done_, count, arrays_.codes.data()))) {
    failed_ = true;
    return 0;
  }
  done_ += count;
  kept_ = count;
  return count;
}

// What was decoded last becomes what went before.
void AccessDecoder::keep_window(uint32_t decoded) {
  std::memmove(places_.data(), places_.data() + decoded, kWindow * sizeof(Pair));
}

// No branch depends on what is common in the data; what is rare is worth one. False where a tag is none.
bool AccessDecoder::decode(uint32_t count) {
  Cursor at = cursor_;
  Pair *place = places_.data() + kWindow;
  uint64_t *objects = arrays_.objects.data();
  uint64_t *offsets = arrays_.offsets.data();
  uint32_t *sizes = arrays_.sizes.data();
  uint8_t *kinds = arrays_.kinds.data();
  const uint8_t *tags = columns_->tags.data() + done_;
  uint32_t seen = 0;
  for (uint32_t i = 0; i < count; ++i, ++place) {
    const Rule &rule = rules_[tags[i]];
    size_t distance = rule.distance;
    uint32_t size = rule.size;
    if (rule.rare != 0) [[unlikely]] {
      seen |= rule.rare;
      if ((rule.rare & kFarOff) != 0) {
        distance = 1 + (load64(at.distances) & (kWindow - 1));
        at.distances += sizeof(uint16_t);
      }
      if ((rule.rare & kUnsized) != 0) {
        std::memcpy(&size, at.sizes, sizeof size);
        at.sizes += sizeof size;
      }
    }
    const Pair told = Pair{load64(at.objects), load64(at.offsets)} & rule.mask;
    at.objects += rule.object_bytes;
    at.offsets += rule.offset_bytes;
    const Pair here =
        (place[-static_cast<ptrdiff_t>(distance)] & rule.relative) + (told + rule.step);
    *place = here;
    objects[i] = here[0];
    offsets[i] = here[1];
    sizes[i] = size;
    kinds[i] = rule.kind;
  }
  cursor_ = at;
  return (seen & kNoRule) == 0;
}

bool AccessDecoder::within_columns() const {
  const auto within = [](const uint8_t *at, const Bytes &column) {
    return static_cast<size_t>(at - column.data()) + kSlack <= column.size();
  };
  return within(cursor_.distances, columns_->distances) &&
         within(cursor_.objects, columns_->objects) && within(cursor_.offsets, columns_->offsets) &&
         within(cursor_.sizes, columns_->sizes);
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
