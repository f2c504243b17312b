#include "heap/small_heap.hpp"

#include "os/message.hpp"

namespace abut::heap {
namespace {

// So many used pages are tried for one request before a fresh page is taken.
constexpr unsigned kTries = 4;

// A block longer than this that meets a short hole is put beside, so that the hole is left to shorter ones.
constexpr unsigned kLong = 4;

} // namespace

void SmallHeap::open(LocalHeap *owner, uint32_t tag, uintptr_t mark) {
  owner_ = owner;
  tag_ = tag;
  mark_ = mark;
  for (unsigned size = 1; size <= kSmallClasses; ++size) bins_[size].open(size * Granules::kBytes);
}

void SmallHeap::leave(HoleCursor &cursor) {
  const OpenPage left = cursor.leave();
  if (left && left.segment->lines[left.page].empty())
    pages_.put_empty(left.segment, *left.span, left.page);
}

bool SmallHeap::enter_fresh(HoleCursor &cursor, unsigned size) {
  const OpenPage page = pages_.take_fresh(owner_, tag_);
  return page && cursor.enter(page, size);
}

// Leads the cursor to a hole that takes `size`; false where memory is exhausted.
bool SmallHeap::make_room(unsigned size) {
  if (cursor_.fits(size) || cursor_.next_hole(size)) return true;
  const OpenPage left = cursor_.page();
  const bool remainder = cursor_.room() > kLong && !cursor_.map().empty();
  leave(cursor_);
  for (unsigned tries = 0; tries < kTries; ++tries) {
    const OpenPage page = pages_.take_used();
    if (!page) break;
    if (beside_.fills(page.segment->page_address(page.page))) beside_.leave(); // one cursor a page
    if (cursor_.enter(page, size)) return true;
    leave(cursor_);
  }
  const bool entered = enter_fresh(cursor_, size);
  if (remainder) pages_.put(left.segment, *left.span, left.page);
  return entered;
}

void *SmallHeap::refill(unsigned size) {
  if (size > kLong && cursor_.recycling() && cursor_.has_room()) {
    if (void *block = beside_.bump(size)) return block;
    leave(beside_);
    return enter_fresh(beside_, size) ? beside_.bump(size) : nullptr;
  }
  return make_room(size) ? cursor_.bump(size) : nullptr;
}

void *SmallHeap::allocate_aligned(unsigned size, size_t align) {
  // A hole that takes this much takes the block wherever the hole begins.
  const unsigned enough = size + static_cast<unsigned>(align / Granules::kBytes) - 1;
  if (!make_room(enough)) return nullptr;
  const uint32_t room = cursor_.room();
  cursor_.align_to(align);
  void *block = cursor_.bump(size);
  const OpenPage &page = cursor_.page();
  if (cursor_.room() + size != room) pages_.put(page.segment, *page.span, page.page);
  return block;
}

void SmallHeap::give_back(Block *block) {
  const auto address = reinterpret_cast<Address>(block);
  Segment *segment = Segment::of(address);
  SmallMap &map = segment->line_at(address);
  const uint32_t granule = granule_in_page(address);
  if (!map.begins_at(granule)) os::fail("free", block, "this block has been freed twice");
  map.remove({granule, map.length_at(granule)});
  SpanInfo &span = segment->span_at(address);
  const unsigned page = page_in_segment(address);
  if (map.empty() && !fills(address))
    pages_.put_empty(segment, span, page);
  else
    pages_.put(segment, span, page);
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
  for (HoleCursor *cursor : {&cursor_, &beside_})
    if (cursor->page()) cursor->map().drop_unfinished();
}

void SmallHeap::close() {
  for (unsigned size = 1; size <= kSmallClasses; ++size) give_back_chain(bins_[size].take_all());
  for (HoleCursor *cursor : {&cursor_, &beside_}) {
    const OpenPage left = cursor->page();
    const bool remainder = left && !cursor->map().empty();
    leave(*cursor);
    if (remainder) pages_.put(left.segment, *left.span, left.page);
  }
}

} // namespace abut::heap
