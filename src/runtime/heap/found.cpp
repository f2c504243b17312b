#include "heap/found.hpp"

#include "heap/heap.hpp"
#include "heap/huge_blocks.hpp"
#include "heap/placed_blocks.hpp"
#include "os/message.hpp"

namespace abut::heap {

namespace {

Found find_in_span(const char *call, void *memory, Segment *segment, Tier tier) {
  const auto address = reinterpret_cast<Address>(memory);
  Found found;
  found.segment = segment;
  found.owner = owner_of(memory);
  if (found.owner == nullptr) os::fail(call, memory, kNotABlock);
  if (tier == Tier::small) {
    found.where = Where::small;
    found.size = segment->line_at(address).length_at(granule_in_page(address));
  } else {
    found.where = Where::medium;
    found.size = medium_map_at(segment, address).length_at(medium_granule(address));
  }
  return found;
}

Found find_in_size_page(const char *call, void *memory, SizePage *page) {
  Found found;
  found.owner = owner_of(memory);
  if (found.owner == nullptr) {
    const auto address = reinterpret_cast<Address>(memory);
    const bool is_place = page->owner != nullptr && page->block_around(address) == address;
    os::fail(call, memory, is_place ? kFreedTwice : kNotABlock);
  }
  found.where = Where::sized;
  found.size = page->block_bytes;
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
  if (kind == SegmentKind::size_pages)
    return find_in_size_page(call, memory, SizePage::of(address));
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
  case Where::small: return Granules{found.size}.bytes();
  case Where::medium: return MediumGranules{found.size}.bytes();
  case Where::large: return found.large.usable_bytes();
  case Where::huge: return usable_bytes(found.huge);
  case Where::sized:
  case Where::placed: return found.size;
  }
  return 0;
}

} // namespace abut::heap
