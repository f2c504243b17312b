#include "trace/tags.hpp"

namespace abut::trace {

namespace {

constexpr uint8_t kRelative = 4;
constexpr uint8_t kSized = 8;
constexpr unsigned kWidthBits = 4;
constexpr uint8_t kWidths = static_cast<uint8_t>(Width::eight) + 1;
constexpr size_t kLeastTagBytes = 6;

void put_tag(Bytes &bytes, const Tag &tag) {
  bytes.push_back(
      static_cast<uint8_t>(tag.kind | (tag.relative ? kRelative : 0) | (tag.sized ? kSized : 0)));
  bytes.push_back(static_cast<uint8_t>(static_cast<uint8_t>(tag.object_width) |
                                       static_cast<uint8_t>(tag.offset_width) << kWidthBits));
  put_varint(bytes, tag.distance);
  put_varint(bytes, tag.size);
  put_varint(bytes, zigzag(tag.object_step));
  put_varint(bytes, zigzag(tag.offset_step));
}

bool get_tag(ByteReader &bytes, Tag &tag) {
  const auto flags = bytes.get<uint8_t>();
  const auto widths = bytes.get<uint8_t>();
  const auto object_width = static_cast<uint8_t>(widths & ((1U << kWidthBits) - 1));
  const auto offset_width = static_cast<uint8_t>(widths >> kWidthBits);
  tag.kind = flags & (kKinds - 1);
  tag.relative = (flags & kRelative) != 0;
  tag.sized = (flags & kSized) != 0;
  tag.object_width = static_cast<Width>(object_width);
  tag.offset_width = static_cast<Width>(offset_width);
  tag.distance = bytes.number32();
  tag.size = bytes.number32();
  tag.object_step = unzigzag(bytes.varint());
  tag.offset_step = unzigzag(bytes.varint());
  return !bytes.failed() && flags < 2 * kSized && object_width < kWidths &&
         offset_width < kWidths && tag.distance <= kWindow;
}

} // namespace

Column narrowest(uint64_t step) {
  for (const Width width : {Width::one, Width::two, Width::four}) {
    const uint64_t half = uint64_t{1} << (8 * bytes_of(width) - 1);
    if (step + half < 2 * half) return {width, 0 - half};
  }
  return {Width::eight, 0};
}

void put_tags(Bytes &bytes, const std::vector<Tag> &tags) {
  put_varint(bytes, tags.size());
  for (const Tag &tag : tags) put_tag(bytes, tag);
}

bool get_tags(ByteView view, std::vector<Tag> &tags) {
  ByteReader bytes(view);
  tags.resize(bytes.count(kLeastTagBytes));
  if (tags.size() > kMaxTags) return false;
  for (Tag &tag : tags)
    if (!get_tag(bytes, tag)) return false;
  return !bytes.failed() && bytes.at_end();
}

} // namespace abut::trace
