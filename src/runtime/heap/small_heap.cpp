#include "heap/small_heap.hpp"

#include "heap/invariants.hpp"
#include "os/message.hpp"

namespace abut::heap {
void SmallHeap::open(LocalHeap *owner, uint32_t tag, uintptr_t mark) {
  owner_ = owner;
  tag_ = tag;
  mark_ = mark;
  for (unsigned size = 1; size <= kSmallClasses; ++size) bins_[size].open(size * Granules::kBytes);
}

// Nobody fills the page any more.
void SmallHeap::put(const OpenPage &page) {
  const SmallMap &map = page.segment->lines[page.page];
  if (map.empty()) return pages_.put_empty(page);
  const auto cover = map.cover();
  pages_.put(page, {cover.longest_hole(), cover.free_granules()});
  check_small(page);
}

void SmallHeap::leave_page() {
  if (const OpenPage left = cursor_.leave()) put(left);
}

// Fills the bin from the holes of a page, as many blocks as it takes, the lowest on top.
void SmallHeap::gather(const OpenPage &page, unsigned size) {
  Bin &bin = bins_[size];
  SmallMap &map = page.segment->lines[page.page];
  const Address address = page.segment->page_address(page.page);
  const auto cover = map.cover();
  Room left;
  auto wanted = static_cast<unsigned>(bin.room);
  Block **last = &bin.head;
  for (Range hole = cover.next_hole(0); hole; hole = cover.next_hole(hole.end())) {
    for (; hole.count >= size && wanted > 0; --wanted) {
      map.add({hole.first, size});
      auto *block = reinterpret_cast<Block *>(address + hole.first * Granules::kBytes);
      block->mark = mark_;
      *last = block;
      last = &block->next;
      hole = {hole.first + size, hole.count - size};
    }
    left.longest = std::max(left.longest, hole.count);
    left.free += hole.count;
  }
  *last = nullptr;
  bin.room = static_cast<int16_t>(wanted);
  pages_.put(page, left);
  check(bin);
  check_small(page);
}

// A page's room is an upper bound: one that disappoints is put back with its true room, and not met again.
Block *SmallHeap::gather(unsigned size) {
  while (const OpenPage page = pages_.take_used(size)) {
    gather(page, size);
    if (Block *block = static_cast<Block *>(pop(size))) return block;
  }
  return nullptr;
}

// Leads the cursor to a fresh page; false where memory is exhausted.
bool SmallHeap::begin_page(unsigned size) {
  leave_page();
  const OpenPage page = pages_.take_fresh(owner_, tag_);
  if (!page) return false;
  cursor_.enter(page);
  return cursor_.seek(size);
}

// One that held blocks before, if there is one, since its memory is there already.
OpenPage SmallHeap::take_empty_page() {
  constexpr uint32_t kAsEmptyAsCanBeSaid = 255; // granules
  if (const OpenPage used = pages_.take_used(kAsEmptyAsCanBeSaid)) {
    if (used.segment->lines[used.page].empty()) return used;
    put(used);
  }
  return pages_.take_fresh(owner_, tag_);
}

Address SmallHeap::cut_page(unsigned size, uint8_t note) {
  const OpenPage page = take_empty_page();
  if (!page) return 0;
  const uint32_t left = page.segment->lines[page.page].tile(size);
  page.span->note[page.index()] = note;
  pages_.put(page, {left, left});
  return page.segment->page_address(page.page);
}

void *SmallHeap::take_beside(Address beside, unsigned size) {
  if (fills(beside)) return nullptr;
  Segment *segment = Segment::of(beside);
  SmallMap &map = segment->line_at(beside);
  const auto cover = map.cover();
  const uint32_t at = granule_in_page(beside);
  const uint32_t line = at / 4 * 4;
  Range hole = cover.first_fit(line, size);
  if (!hole) hole = cover.first_fit(0, size);
  if (!hole) return nullptr;
  map.add({hole.first, size});
  const OpenPage page{segment, &segment->span_at(beside), page_in_segment(beside)};
  pages_.take_room(page, size);
  auto *block =
      reinterpret_cast<Block *>(round_down(beside, kPageBytes) + hole.first * Granules::kBytes);
  block->mark = 0;
  return block;
}

void *SmallHeap::refill(unsigned size) {
  if (cursor_.seek(size)) return cursor_.bump(size);
  bins_[size].grow();
  if (Block *block = gather(size)) return block;
  return begin_page(size) ? cursor_.bump(size) : nullptr;
}

void *SmallHeap::allocate_aligned(unsigned size, size_t align) {
  // A hole that takes this much takes the block wherever the hole begins. What is left out before it is found
  // again when the page is left.
  const unsigned enough = size + static_cast<unsigned>(align / Granules::kBytes) - 1;
  if (!cursor_.seek(enough) && !begin_page(enough)) return nullptr;
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
  if (map.empty()) return pages_.put_empty(page); // and perhaps the whole segment is gone
  pages_.add_room(page, size, map.hole_at(granule).count);
  check_small(page);
}

void SmallHeap::give_back_chain(Block *first) {
  while (first) {
    Block *next = first->next;
    give_back(first);
    first = next;
  }
}

void SmallHeap::spill(unsigned size) {
  give_back_chain(bins_[size].overflow());
  check(bins_[size]);
}

void SmallHeap::thin_bins() {
  for (Bin &bin : bins_) give_back_chain(bin.split(bin.count() / 2));
}

bool SmallHeap::keep(Block *block) {
  const auto address = reinterpret_cast<Address>(block);
  const SmallMap &map = Segment::of(address)->line_at(address);
  const uint32_t at = granule_in_page(address);
  if (!map.begins_at(at)) return false;
  const uint32_t size = map.short_length_at(at);
  if (!bins_[size].has_room()) return false;
  push(block, size);
  return true;
}

void SmallHeap::mend_after_fork() {
  if (const OpenPage &page = cursor_.page()) page.segment->lines[page.page].drop_unfinished();
}

void SmallHeap::close() {
  for (unsigned size = 1; size <= kSmallClasses; ++size) give_back_chain(bins_[size].take_all());
  leave_page();
}

} // namespace abut::heap
