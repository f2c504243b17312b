#include "near/near_heap.hpp"

#include "heap/extent.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

namespace abut::near {

using heap::Block;
using heap::Granules;
using heap::kGranulesInPage;
using heap::Segment;
using heap::SmallMap;

namespace {

constexpr size_t kLittle = 256 * KiB; // may wait however small the heap is
constexpr size_t kClose = 2 * kLineBytes;
constexpr size_t kPagesToLookAt = 4096;

// The shortest run fills a line, or holds two cells.
unsigned first_level(unsigned size) { return size == 1 ? 2 : 1; }

unsigned cells_in_page(unsigned size) { return kGranulesInPage / size; }

unsigned last_level(unsigned size) {
  return static_cast<unsigned>(std::bit_width(cells_in_page(size) - 1));
}

unsigned cells_in_run(unsigned size, unsigned level) {
  return std::min(1U << level, cells_in_page(size));
}

// The block around `address`, in granules of its page; none if there is none.
Range block_around(const SmallMap &map, Address address) {
  for (uint32_t at = heap::granule_in_page(address) + 1; at-- > 0;)
    if (map.begins_at(at)) {
      const Range block{at, map.length_at(at)};
      return block.end() > heap::granule_in_page(address) ? block : Range{};
    }
  return {};
}

} // namespace

bool NearHeap::over_budget() const {
  return heap_->set_aside > kLittle + heap_->small.span_bytes() / 10;
}

// Longer while little waits, shorter when much does.
unsigned NearHeap::level_after(unsigned level, unsigned size) const {
  const unsigned first = first_level(size);
  if (level == 0) return first;
  const size_t whole = heap_->small.span_bytes();
  if (heap_->set_aside < kLittle / 4 + whole / 12) ++level;
  if (heap_->set_aside > kLittle / 2 + whole / 11) --level;
  return std::clamp(level, first, last_level(size));
}

NearHeap::Placed NearHeap::place(Address friend_address, unsigned size) {
  heap::LocalHeap *owner = heap::small_owner(heap_, friend_address);
  if (owner == nullptr) return {nullptr, Where::not_ours};
  if (owner->small.front() - friend_address < kClose) return {nullptr, Where::near_anyway};
  Segment *segment = Segment::of(friend_address);
  const Range block = block_around(segment->line_at(friend_address), friend_address);
  if (!block) return {nullptr, Where::not_ours};
  const Address page = round_down(friend_address, kPageBytes);
  if (block.end() < kGranulesInPage)
    if (void *cell = take_waiting(page + block.end() * Granules::kBytes, size))
      return {cell, Where::waiting};
  const heap::SpanInfo &span = segment->span_at(friend_address);
  const unsigned index = heap::page_in_segment(friend_address) % heap::kPagesInUnit;
  if (span.room[index] >= size && (span.open >> index & 1) != 0) {
    std::lock_guard guard(heap_->lock());
    if (void *hole = owner->small.take_beside(friend_address, size)) return {hole, Where::hole};
  }
  if (block.count != size)
    return {nullptr, Where::nowhere}; // no run of this size could be found from there again
  if (over_budget()) return {nullptr, Where::over_budget};
  const unsigned level = level_after(span.note[index], size);
  return {open_run(size, level), Where::run, cells_in_run(size, level)};
}

void *NearHeap::open_run(unsigned size, unsigned level) {
  Carve &carve = carves_[size][level];
  const unsigned cells = cells_in_run(size, level);
  const size_t bytes = cells * size * Granules::kBytes;
  if (carve.next + bytes > carve.end && !begin_page(size, level, carve)) return nullptr;
  const Address run = carve.next;
  carve.next += bytes;
  heap_->set_aside -= size * Granules::kBytes;
  ++runs_opened_;
  return marker_.take(run, size, cells);
}

bool NearHeap::begin_page(unsigned size, unsigned level, Carve &carve) {
  std::lock_guard guard(heap_->lock());
  // What was too short for a run at the end of the last page is of use to others.
  for (; carve.next + size * Granules::kBytes <= carve.end; carve.next += size * Granules::kBytes) {
    heap_->set_aside -= size * Granules::kBytes;
    heap_->small.give_back(reinterpret_cast<Block *>(carve.next));
  }
  carve = {};
  if (page_count_ == page_room_ && !make_room()) return false;
  const Address page = heap_->small.cut_page(size, static_cast<uint8_t>(level));
  if (page == 0) return false;
  pages_[page_count_++] = page;
  carve = {page, page + cells_in_page(size) * size * Granules::kBytes};
  heap_->set_aside += carve.end - carve.next;
  return true;
}

// Makes room for one more page in the list.
bool NearHeap::make_room() {
  const size_t room = page_room_ == 0 ? kPageBytes / sizeof(Address) : 2 * page_room_;
  auto *longer = static_cast<Address *>(os::map(nullptr, room * sizeof(Address)));
  if (longer == nullptr) return false;
  if (pages_ != nullptr) {
    std::memcpy(longer, pages_, page_count_ * sizeof(Address));
    os::unmap(pages_, page_room_ * sizeof(Address));
  }
  pages_ = longer;
  page_room_ = room;
  return true;
}

bool NearHeap::is_carved(Address page) const {
  for (const auto &levels : carves_)
    for (const Carve &carve : levels)
      if (carve.next < carve.end && round_down(carve.next, kPageBytes) == page) return true;
  return false;
}

// Returns whether the page still has cells that may wait.
bool NearHeap::give_back_page(Address page, bool all) {
  if (heap::segment_map.kind_at(page) != heap::SegmentKind::pages) return false;
  Segment *segment = Segment::of(page);
  if (segment->tag_at(page) != heap_->small.tag()) return false;
  if (segment->span_at(page).note[heap::page_in_segment(page) % heap::kPagesInUnit] == 0)
    return false;
  if (heap_->small.fills(page)) return true;
  const SmallMap &map = segment->line_at(page);
  if (!all && map.cover().free_granules() < kGranulesInPage / 2) return true;
  if (is_carved(page)) return true;
  Address waiting[kGranulesInPage];
  unsigned count = 0;
  uint32_t skip_to = 0;
  map.each_block([&](Range block) {
    const Address cell = page + block.first * Granules::kBytes;
    if (block.first < skip_to) {
      waiting[count++] = cell;
      return;
    }
    if (const unsigned cells = marker_.waiting_at(cell, block.count)) {
      skip_to = block.first + cells * block.count;
      waiting[count++] = cell;
    }
  });
  for (unsigned i = 0; i < count; ++i) {
    auto *block = reinterpret_cast<Block *>(waiting[i]);
    block->next = nullptr; // no marker stays
    heap_->set_aside -= map.length_at(heap::granule_in_page(waiting[i])) * Granules::kBytes;
    heap_->small.give_back(block);
  }
  return false;
}

void NearHeap::give_back(bool all) {
  size_t looks = all ? page_count_ : std::min(page_count_, kPagesToLookAt);
  for (; looks > 0 && page_count_ > 0; --looks) {
    if (next_page_ >= page_count_) next_page_ = 0;
    if (give_back_page(pages_[next_page_], all))
      ++next_page_;
    else
      pages_[next_page_] = pages_[--page_count_];
  }
}

NearHeap *make_near_heap(heap::LocalHeap *heap) {
  if (heap->number() == 0) return nullptr; // a thread without a heap yet
  void *memory = os::map(nullptr, round_up(sizeof(NearHeap), kPageBytes));
  if (memory == nullptr) return nullptr;
  auto *made = new (memory) NearHeap;
  made->open(heap, heap->small.mark() * 0x9E3779B97F4A7C15 + heap->number());
  heap->reclaim = [](void *attachment, bool all) {
    static_cast<NearHeap *>(attachment)->give_back(all);
  };
  heap->attachment = made;
  return made;
}

} // namespace abut::near
