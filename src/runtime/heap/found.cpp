#include "heap/found.hpp"

#include "heap/heap.hpp"
#include "heap/huge_blocks.hpp"
#include "heap/placed_blocks.hpp"
#include "os/message.hpp"

namespace abut::heap {
namespace {

constexpr const char *kFreedTwice = "this block has been freed twice";
constexpr const char *kNotABlock = "no block begins at this address";

// Whether a block can have begun there, which is free now.
bool is_place(const Page &page, Address address) {
  if (page.size_class == 0)
    return address % Granules::kBytes == 0 && !birth_range_at(page, address);
  const uint32_t block = block_at(page, address);
  return block_address(page, block) == address && page.states[block] != kNoPlace;
}

Found found(Where where, size_t usable) {
  Found result;
  result.where = where;
  result.usable = usable;
  return result;
}

Found find_sized(const char *call, void *memory) {
  const LiveBlock block = live_block_anywhere(memory);
  if (!block) fail_not_live(call, memory);
  Found result = found(Where::sized, block.page->block_bytes());
  result.sized = block;
  return result;
}

Found find_born(const char *call, void *memory) {
  const BirthBlock block = live_birth_block(memory);
  if (!block) fail_not_live(call, memory);
  Found result = found(Where::born, block.bytes());
  result.born = block;
  return result;
}

} // namespace

void fail_not_live(const char *call, const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  const Page *page = page_at(address);
  os::fail(call, memory, page != nullptr && is_place(*page, address) ? kFreedTwice : kNotABlock);
}

Found find_block(const char *call, void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  Found result;
  switch (segment_map.kind_at(address)) {
  case SegmentKind::none:
  case SegmentKind::foreign:
  case SegmentKind::chunks:
  case SegmentKind::runs: return result;
  case SegmentKind::size_pages:
    result.large = large_block_at(address);
    if (!result.large) return find_sized(call, memory);
    result.where = Where::large;
    result.usable = result.large.usable_bytes();
    break;
  case SegmentKind::birth_pages: return find_born(call, memory);
  case SegmentKind::placed: result = found(Where::placed, placed_blocks.usable(address)); break;
  case SegmentKind::huge:
  case SegmentKind::tail:
    result.huge = huge_block_at(address);
    if (result.huge != nullptr) {
      result.where = Where::huge;
      result.usable = usable_bytes(result.huge);
    }
    break;
  }
  if (result.usable == 0) os::fail(call, memory, kNotABlock);
  return result;
}

} // namespace abut::heap
