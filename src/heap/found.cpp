#include "heap/found.hpp"

#include "heap/heap.hpp"
#include "heap/huge_blocks.hpp"
#include "heap/placed_blocks.hpp"
#include "os/message.hpp"

namespace abut::heap {

namespace {

Found find_in_span(const char *call, void *memory, Segment *segment, Tier tier) {
  const auto address = reinterpret_cast<Address>(memory);
  SpanInfo &span = segment->span_at(address);
  Found found;
  found.segment = segment;
  found.owner = span.owner;
  bool begins = false;
  if (tier == Tier::small) {
    const SmallMap &map = segment->line_at(address);
    const uint32_t at = granule_in_page(address);
    begins = address % Granules::kBytes == 0 && map.begins_at(at);
    if (begins) found.size = map.length_at(at);
    found.where = Where::small;
  } else if (tier == Tier::medium) {
    const MediumMap &map = medium_map_at(segment, address);
    const uint32_t at = medium_granule(address);
    begins = address % MediumGranules::kBytes == 0 && map.begins_at(at);
    if (begins) found.size = map.length_at(at);
    found.where = Where::medium;
  } else {
    begins = address % kTinyMax == 0 && is_taken_cell(segment, address);
    found.size = 1;
    found.where = Where::tiny;
  }
  if (!begins) os::fail(call, memory, kNotABlock);
  return found;
}

} // namespace

Found find_block(const char *call, void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  const SegmentKind kind = segment_map.kind_at(address);
  if (kind == SegmentKind::none || kind == SegmentKind::foreign) return {};
  Found found;
  if (kind == SegmentKind::placed) {
    found.where = Where::placed;
    found.size = static_cast<unsigned>(placed_blocks.usable(address));
    if (found.size == 0) os::fail(call, memory, kNotABlock);
    return found;
  }
  if (kind != SegmentKind::pages) {
    found.where = Where::huge;
    found.huge = huge_block_at(address);
    if (found.huge == nullptr) os::fail(call, memory, kNotABlock);
    return found;
  }
  Segment *segment = Segment::of(address);
  const Tier tier = tier_of(segment->tag_at(address));
  if (tier != Tier::pages) return find_in_span(call, memory, segment, tier);
  found.where = Where::large;
  found.large = large_block_at(address);
  if (!found.large) os::fail(call, memory, kNotABlock);
  return found;
}

size_t usable_bytes(const Found &found) {
  switch (found.where) {
  case Where::foreign: return 0;
  case Where::tiny: return kTinyMax;
  case Where::small: return Granules{found.size}.bytes();
  case Where::medium: return MediumGranules{found.size}.bytes();
  case Where::large: return found.large.usable_bytes();
  case Where::huge: return usable_bytes(found.huge);
  case Where::placed: return found.size;
  }
  return 0;
}

} // namespace abut::heap
