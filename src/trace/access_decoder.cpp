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
  arrays_.objects.resize(kWindow + kBatch);
  arrays_.offsets.resize(kWindow + kBatch);
  arrays_.sizes.resize(kBatch);
  arrays_.kinds.resize(kBatch);
  arrays_.threads.resize(kBatch);
  arrays_.codes.resize(kBatch);
}

AccessDecoder::Rule AccessDecoder::rule_of(const Tag &tag) {
  Rule rule{};
  rule.object_step = tag.object_step;
  rule.object_mask = mask_of(tag.object_width);
  rule.object_bytes = static_cast<uint8_t>(bytes_of(tag.object_width));
  rule.offset_step = tag.offset_step;
  rule.offset_mask = mask_of(tag.offset_width);
  rule.offset_bytes = static_cast<uint8_t>(bytes_of(tag.offset_width));
  rule.relative_mask = tag.relative ? ~uint64_t{0} : 0;
  rule.distance = tag.distance;
  rule.size = tag.size;
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
  Rule none{};
  none.distance = 1;
  none.rare = kNoRule;
  rules_.fill(none);
  std::transform(tags_.begin(), tags_.end(), rules_.begin(), rule_of);
  std::fill_n(arrays_.objects.begin(), kWindow, 0);
  std::fill_n(arrays_.offsets.begin(), kWindow, 0);
  cursor_ = {columns.distances.data(), columns.objects.data(), columns.offsets.data(),
             columns.sizes.data()};
  return true;
}

uint32_t AccessDecoder::next(uint32_t most) {
  const uint32_t count = std::min({most, kBatch, left()});
  if (failed_ || count == 0) return 0;
  keep_window(kept_);
  if (decode(count) != 0 || !within_columns() || !fill_threads(count) ||
      !codes_.decode(done_, count, arrays_.codes.data())) {
    failed_ = true;
    return 0;
  }
  done_ += count;
  kept_ = count;
  return count;
}

// What was decoded last becomes what went before.
void AccessDecoder::keep_window(uint32_t decoded) {
  const auto shift = [decoded](std::vector<uint64_t> &array) {
    std::memmove(array.data(), array.data() + decoded, kWindow * sizeof array[0]);
  };
  shift(arrays_.objects);
  shift(arrays_.offsets);
}

// No branch depends on what is common in the data; what is rare is worth one. Answers 0, or what was wrong.
uint32_t AccessDecoder::decode(uint32_t count) {
  Cursor at = cursor_;
  uint64_t *objects = arrays_.objects.data() + kWindow;
  uint64_t *offsets = arrays_.offsets.data() + kWindow;
  uint32_t *sizes = arrays_.sizes.data();
  uint8_t *kinds = arrays_.kinds.data();
  const uint8_t *tags = columns_->tags.data() + done_;
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Rule &rule = rules_[tags[i]];
    size_t distance = rule.distance;
    uint32_t size = rule.size;
    if (rule.rare != 0) [[unlikely]] {
      wrong |= rule.rare & kNoRule;
      if ((rule.rare & kFarOff) != 0) {
        distance = 1 + (load64(at.distances) & (kWindow - 1));
        at.distances += sizeof(uint16_t);
      }
      if ((rule.rare & kUnsized) != 0) {
        std::memcpy(&size, at.sizes, sizeof size);
        at.sizes += sizeof size;
      }
    }
    const uint64_t object_step = rule.object_step + (load64(at.objects) & rule.object_mask);
    const uint64_t offset_step = rule.offset_step + (load64(at.offsets) & rule.offset_mask);
    at.objects += rule.object_bytes;
    at.offsets += rule.offset_bytes;
    objects[i] = *(objects + i - distance) + object_step;
    offsets[i] = (*(offsets + i - distance) & rule.relative_mask) + offset_step;
    sizes[i] = size;
    kinds[i] = rule.kind;
  }
  cursor_ = at;
  return wrong;
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
    std::fill_n(arrays_.threads.begin() + filled, run, thread_);
    filled += run;
    thread_left_ -= run;
  }
  return true;
}

} // namespace abut::trace
