#include "heap/found.hpp"

#include "heap/heap.hpp"
#include "heap/huge_blocks.hpp"
#include "heap/placed_blocks.hpp"
#include "os/message.hpp"

namespace abut::heap {
namespace {

constexpr const char *kFreedBefore = "this block has been freed before";
constexpr const char *kNotLive = "not a live block: freed before, or never handed out";
constexpr const char *kNotABlock = "no block begins at this address";

// What is wrong about an address at which no live block begins. No more is said than is known: a birth page does not show
// where its free blocks began.
const char *fault_at(const Page &page, Address address) {
  if (page.size_class == 0)
    return address % Granules::kBytes == 0 && !birth_range_at(page, address) ? kNotLive
                                                                             : kNotABlock;
  const uint32_t block = block_at(page, address);
  if (block_address(page, block) != address || page.states[block] == kNoPlace) return kNotABlock;
  return page.owner->sizes.has_handed_out(page, block) ? kFreedBefore : kNotLive;
}

// Each fills in what it finds where it is to lie: to copy it, a part just written to beside others, makes a processor wait
// until all that was written before has reached the cache.
void find_sized(Found &found, const char *call, void *memory) {
  found.sized = live_block_anywhere(memory);
  if (!found.sized) fail_not_live(call, memory);
  found.where = Where::sized;
  found.usable = found.sized.page->block_bytes();
}

void find_large_or_sized(Found &found, const char *call, void *memory) {
  found.large = large_block_at(reinterpret_cast<Address>(memory));
  if (!found.large) return find_sized(found, call, memory);
  found.where = Where::large;
  found.usable = found.large.usable_bytes();
}

void find_born(Found &found, const char *call, void *memory) {
  found.born = live_birth_block(memory);
  if (!found.born) fail_not_live(call, memory);
  found.where = Where::born;
  found.usable = found.born.bytes();
}

void find_placed(Found &found, Address address) {
  found.where = Where::placed;
  found.usable = placed_blocks.usable(address);
}

void find_huge(Found &found, Address address) {
  found.huge = huge_block_at(address);
  if (found.huge == nullptr) return;
  found.where = Where::huge;
  found.usable = usable_bytes(found.huge);
}

} // namespace

void fail_not_live(const char *call, const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  const Page *page = page_at(address);
  os::fail(call, memory, page != nullptr ? fault_at(*page, address) : kNotABlock);
}

Found find_block(const char *call, void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  Found result;
  switch (segment_map.kind_at(address)) {
  case SegmentKind::none:
  case SegmentKind::foreign:
  case SegmentKind::chunks:
  case SegmentKind::runs: return result;
  case SegmentKind::size_pages: find_large_or_sized(result, call, memory); break;
  case SegmentKind::birth_pages: find_born(result, call, memory); break;
  case SegmentKind::placed: find_placed(result, address); break;
  case SegmentKind::huge:
  case SegmentKind::tail: find_huge(result, address); break;
  }
  if (result.usable == 0) os::fail(call, memory, kNotABlock);
  return result;
}

} // namespace abut::heap
