#include "heap/small_heap.hpp"

#include "os/message.hpp"

namespace abut::heap {
void SmallHeap::open(LocalHeap *owner, uint32_t tag, uintptr_t mark) {
  owner_ = owner;
  tag_ = tag;
  mark_ = mark;
  for (unsigned size = 1; size <= kSmallClasses; ++size) bins_[size].open(size * Granules::kBytes);
}

// Nobody fills the cursor's page any more.
void SmallHeap::leave_page() {
  const OpenPage left = cursor_.leave();
  if (!left) return;
  const SmallMap &map = left.segment->lines[left.page];
  if (map.empty()) return pages_.put_empty(left);
  const auto cover = map.cover();
  pages_.put(left, {cover.longest_hole(), cover.free_granules()});
}

// Leads the cursor to a hole that takes `size`; false where memory is exhausted.
bool SmallHeap::make_room(unsigned size) {
  if (cursor_.seek(size)) return true;
  leave_page();
  // A page's room is an upper bound: a page that disappoints is put back with its true room, and not met again.
  while (const OpenPage page = pages_.take_used(size)) {
    cursor_.enter(page);
    if (cursor_.seek(size)) return true;
    leave_page();
  }
  const OpenPage page = pages_.take_fresh(owner_, tag_);
  if (!page) return false;
  cursor_.enter_fresh(page, size);
  return cursor_.seek(size);
}

void *SmallHeap::refill(unsigned size) { return make_room(size) ? cursor_.bump(size) : nullptr; }

void *SmallHeap::allocate_aligned(unsigned size, size_t align) {
  // A hole that takes this much takes the block wherever the hole begins. What is left out before it is found
  // again when the page is left.
  const unsigned enough = size + static_cast<unsigned>(align / Granules::kBytes) - 1;
  if (!make_room(enough)) return nullptr;
  cursor_.align_to(align);
  return cursor_.bump(size);
}

void SmallHeap::give_back(Block *block) {
  const auto address = reinterpret_cast<Address>(block);
  Segment *segment = Segment::of(address);
  SmallMap &map = segment->line_at(address);
  const uint32_t granule = granule_in_page(address);
  if (!map.begins_at(granule)) os::fail("free", block, "this block has been freed twice");
  const uint32_t size = map.length_at(granule);
  map.remove({granule, size});
  if (fills(address)) return; // seen to when the cursor leaves
  const OpenPage page{segment, &segment->span_at(address), page_in_segment(address)};
  if (map.empty())
    pages_.put_empty(page);
  else
    pages_.add_room(page, size, map.hole_at(granule).count);
}

void SmallHeap::give_back_chain(Block *first) {
  while (first) {
    Block *next = first->next;
    give_back(first);
    first = next;
  }
}

void SmallHeap::spill(unsigned size) {
  Bin &bin = bins_[size];
  Block *older = bin.split(bin.limit / 2);
  bin.grow();
  give_back_chain(older);
}

void SmallHeap::mend_after_fork() {
  if (const OpenPage &page = cursor_.page()) page.segment->lines[page.page].drop_unfinished();
}

void SmallHeap::close() {
  for (unsigned size = 1; size <= kSmallClasses; ++size) give_back_chain(bins_[size].take_all());
  leave_page();
}

} // namespace abut::heap
