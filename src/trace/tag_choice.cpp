#include "trace/tag_choice.hpp"

#include <algorithm>
#include <unordered_map>

namespace abut::trace {

namespace {

constexpr uint16_t kNoTag = kMaxTags;

// How many tags each degree of generality may have; the most general of all are as many as there are
// kinds, relative and not.
constexpr size_t kExact = 152;
constexpr size_t kAnyOffset = 48;
constexpr size_t kAnyDistance = 16;
constexpr size_t kAnyOfBoth = 32;
static_assert(kExact + kAnyOffset + kAnyDistance + kAnyOfBoth + 2 * kKinds <= kMaxTags);

struct TagHash {
  size_t operator()(const Tag &tag) const {
    uint64_t hash = tag.distance;
    for (const uint64_t part :
         {uint64_t{tag.size}, tag.object_step, tag.offset_step, uint64_t{tag.kind},
          uint64_t{tag.relative}, static_cast<uint64_t>(tag.object_width),
          static_cast<uint64_t>(tag.offset_width)})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 32);
  }
};

Tag exact(const Combination &told) {
  Tag tag;
  tag.distance = told.distance;
  tag.relative = told.relative;
  tag.kind = told.kind;
  tag.size = told.size;
  tag.object_step = told.object_step;
  tag.object_width = told.object_width;
  tag.offset_step = told.offset_step;
  tag.offset_width = told.offset_width;
  return tag;
}

void open_object(Tag &tag) {
  if (tag.object_step == 0 || tag.object_width != Width::none) return;
  const Column column = narrowest(tag.object_step);
  tag.object_width = column.width;
  tag.object_step = column.least;
}

void open_offset(Tag &tag) {
  if (tag.offset_width != Width::none) return;
  const Column column = narrowest(tag.offset_step);
  tag.offset_width = column.width;
  tag.offset_step = column.least;
}

Tag any_offset(const Combination &told) {
  Tag tag = exact(told);
  open_object(tag);
  open_offset(tag);
  return tag;
}

Tag any_distance(const Combination &told) {
  Tag tag = exact(told);
  open_object(tag);
  tag.distance = 0;
  return tag;
}

Tag any_of_both(const Combination &told) {
  Tag tag = any_offset(told);
  tag.distance = 0;
  return tag;
}

Tag anything(const Combination &told) {
  Tag tag;
  tag.relative = told.relative;
  tag.sized = false;
  tag.kind = told.kind;
  tag.object_width = tag.offset_width = Width::eight;
  return tag;
}

} // namespace

TagChoice::TagChoice(const std::vector<Combination> &all, const std::vector<uint32_t> &chosen)
    : all_(all), uses_(all.size(), 0), tag_of_(all.size(), kNoTag) {
  for (const uint32_t number : chosen) ++uses_[number];
  for (uint32_t number = 1; number < all.size(); ++number)
    if (uses_[number] != 0) without_.push_back(number);
  share(exact, kExact);
  share(any_offset, kAnyOffset);
  share(any_distance, kAnyDistance);
  share(any_of_both, kAnyOfBoth);
  share(anything, 2 * kKinds);
}

void TagChoice::share(General general, size_t most) {
  std::unordered_map<Tag, uint64_t, TagHash> uses;
  for (const uint32_t number : without_) uses[general(all_[number])] += uses_[number];
  std::vector<std::pair<uint64_t, Tag>> ranked;
  ranked.reserve(uses.size());
  for (const auto &[tag, count] : uses) ranked.emplace_back(count, tag);
  const size_t kept = std::min(most, ranked.size());
  const auto more_used = [](const auto &a, const auto &b) { return a.first > b.first; };
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<ptrdiff_t>(kept), ranked.end(),
                    more_used);
  std::unordered_map<Tag, uint16_t, TagHash> names;
  for (size_t i = 0; i < kept; ++i) {
    names.emplace(ranked[i].second, static_cast<uint16_t>(tags_.size()));
    tags_.push_back(ranked[i].second);
  }
  std::erase_if(without_, [&](uint32_t number) {
    const auto found = names.find(general(all_[number]));
    if (found == names.end()) return false;
    tag_of_[number] = found->second;
    return true;
  });
}

} // namespace abut::trace
