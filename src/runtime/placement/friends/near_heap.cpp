#include "placement/friends/near_heap.hpp"

#include "heap/extent.hpp"

#include <algorithm>
#include <array>
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

// The cells of a run at each level: up to a page of the smallest, in steps so small that what waits can be kept close to
// what may.
constexpr uint16_t kRunCells[] = {0,  2,  3,  4,  5,  6,  8,  10,  12,  16, 20,
                                  24, 32, 40, 48, 64, 80, 96, 128, 192, 256};

// The shortest run fills a line, or holds two cells.
unsigned first_level(unsigned size) { return size == 1 ? 3 : 1; }

constexpr unsigned cells_in_page(unsigned size) { return kGranulesInPage / size; }

// For each size.
constexpr auto kLastLevels = [] {
  std::array<uint8_t, kSizes + 1> last{};
  for (unsigned size = 1; size <= kSizes; ++size) {
    const auto *longer = std::ranges::upper_bound(kRunCells, cells_in_page(size));
    last[size] = static_cast<uint8_t>(longer - kRunCells - 1);
  }
  return last;
}();

// Whether the next block will lie close by without any doing, as it may in a heap in birth order.
bool is_at_front(const heap::LocalHeap &heap, Address friend_address) {
  return !heap.sizes.has_pages() && heap.small.front() - friend_address < kClose;
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

// Bytes that may wait.
size_t NearHeap::budget() const { return std::max(kLittle, heap_->span_bytes() / 10); }

// One of 1024, the same for some time: chains that grow one after the other get runs of one length, which lie in a row;
// whoever walks one chain after the other then finds the next one's lines fetched ahead.
int64_t NearHeap::draw() {
  if (drawn_++ % kDrawnTogether == 0)
    random_ = random_ * 1664525 + 1013904223; // Numerical Recipes' quick generator
  return random_ >> 22;
}

// Longer while little waits, shorter when too much does, and by chance in between: chains that grow in turn would all
// want their next runs at once otherwise, and together have to make do with short ones.
unsigned NearHeap::level_after(unsigned level, unsigned size) {
  constexpr int64_t kAimed = 1024 * 97 / 100; // of the budget
  constexpr int64_t kEagerness = 4, kReluctance = 30;
  static_assert(std::size(kRunCells) == kLevels);
  const unsigned first = first_level(size);
  if (level == 0) return first;
  // Of all times the budget, so that nothing is divided.
  const auto whole = static_cast<int64_t>(budget());
  const int64_t below = kAimed * whole - static_cast<int64_t>(heap_->set_aside) * 1024;
  const int64_t drawn = draw() * whole;
  if (drawn < below * kEagerness)
    ++level;
  else if (drawn < -below * kReluctance)
    --level;
  return std::clamp(level, first, unsigned{kLastLevels[size]});
}

NearHeap::Placed NearHeap::place(Address friend_address, unsigned size) {
  if (heap::size_page_at(friend_address) != nullptr) return place_after_sized(friend_address, size);
  heap::LocalHeap *owner = heap::birth_owner(heap_, friend_address);
  if (owner == nullptr) return {nullptr, Where::not_ours};
  if (is_at_front(*owner, friend_address)) return {nullptr, Where::near_anyway};
  Segment *segment = Segment::of(friend_address);
  const Range block = block_around(segment->line_at(friend_address), friend_address);
  if (!block) return {nullptr, Where::not_ours};
  const Address page = round_down(friend_address, kPageBytes);
  if (block.end() < kGranulesInPage)
    if (void *cell = take_waiting(page + block.end() * Granules::kBytes, size))
      return {cell, Where::waiting};
  return place_elsewhere(owner, friend_address, size, block.count == size);
}

// No cell can wait beside a friend in a size page: its chain goes on in a run of its own.
NearHeap::Placed NearHeap::place_after_sized(Address friend_address, unsigned size) {
  const heap::Extent block = heap::extent_of(heap_, friend_address);
  if (block.begin == 0) return {nullptr, Where::not_ours};
  if (block.end - block.begin != size * Granules::kBytes) return {nullptr, Where::nowhere};
  if (heap_->set_aside > budget()) return {nullptr, Where::over_budget};
  return open_run(size, level_after(0, size));
}

NearHeap::Placed NearHeap::place_after(Address cell, unsigned size) {
  const Address friend_address = cell - size * Granules::kBytes;
  if (heap::size_page_at(friend_address) != nullptr) return place_after_sized(friend_address, size);
  if (heap::segment_map.kind_at(friend_address) != heap::SegmentKind::pages) return {};
  Segment *segment = Segment::of(friend_address);
  if (segment->tag_at(friend_address) != heap_->small.tag() || is_at_front(*heap_, friend_address))
    return {};
  // Most are cells of a page that was cut into such, which one look tells where the page's map may not be in the caches. A
  // page that only was so once leads to a run beside nothing, which does no harm.
  if (segment->cell_size[heap::page_in_segment(friend_address)] != size) {
    const SmallMap &map = segment->line_at(friend_address);
    const uint32_t at = heap::granule_in_page(friend_address);
    if (!map.begins_at(at) || map.length_at(at) != size) return {};
  }
  return place_elsewhere(heap_, friend_address, size, true);
}

// Where no cell waits. `same`: the friend has the size itself.
NearHeap::Placed NearHeap::place_elsewhere(heap::LocalHeap *owner, Address friend_address,
                                           unsigned size, bool same) {
  const heap::SpanInfo &span = Segment::of(friend_address)->span_at(friend_address);
  const unsigned index = heap::page_in_segment(friend_address) % heap::kPagesInUnit;
  if (span.room[index] >= size && (span.open >> index & 1) != 0) {
    std::lock_guard guard(heap_->lock());
    if (void *hole = owner->small.take_beside(friend_address, size)) return {hole, Where::hole};
  }
  if (!same)
    return {nullptr, Where::nowhere}; // no run of this size could be found from there again
  if (heap_->set_aside > budget()) return {nullptr, Where::over_budget};
  return open_run(size, level_after(span.note[index], size));
}

// The last of a page is as long as there is room: cells that nobody waits for would be found one by one.
NearHeap::Placed NearHeap::open_run(unsigned size, unsigned level) {
  Carve &carve = carves_[size][level];
  const size_t each = size * Granules::kBytes;
  const size_t shortest = kRunCells[first_level(size)] * each;
  if (carve.next + shortest > carve.end && !begin_page(size, level, carve)) return {};
  const Address run = carve.next;
  carve.next = std::min(run + kRunCells[level] * each, carve.end);
  const auto cells = static_cast<unsigned>((carve.next - run) / each);
  heap_->set_aside -= each;
  ++runs_opened_;
  begin_to_wait(run + each, size, cells - 1);
  return {hand_out(run), Where::run, cells};
}

bool NearHeap::begin_page(unsigned size, unsigned level, Carve &carve) {
  std::lock_guard guard(heap_->lock());
  give_back_rest(size, carve);
  if (page_count_ == page_room_ && !make_room()) return false;
  const Address page = heap_->small.cut_page(size, static_cast<uint8_t>(level));
  if (page == 0) return false;
  pages_[page_count_++] = page;
  carve = {page, page + cells_in_page(size) * size * Granules::kBytes};
  heap_->set_aside += carve.end - carve.next;
  return true;
}

// What was too short for a run at the end of the last page is of use to others.
void NearHeap::give_back_rest(unsigned size, Carve &carve) {
  const size_t bytes = size * Granules::kBytes;
  for (; carve.next + bytes <= carve.end; carve.next += bytes) {
    heap_->set_aside -= bytes;
    heap_->small.give_back(reinterpret_cast<Block *>(carve.next));
  }
  carve = {};
}

// Makes room for one more page in the list.
bool NearHeap::make_room() {
  const size_t room = page_room_ == 0 ? kPageBytes / sizeof(Address) : 2 * page_room_;
  auto *longer = static_cast<Address *>(os::map(room * sizeof(Address)));
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
  segment->waiting.take_page(page, [&](Address cell) {
    heap_->set_aside -= map.length_at(heap::granule_in_page(cell)) * Granules::kBytes;
    auto *block = reinterpret_cast<Block *>(cell);
    block->next = nullptr;
    heap_->small.give_back(block);
  });
  return false;
}

void NearHeap::give_back(bool all) {
  for (unsigned size = 1; all && size <= kSizes; ++size)
    for (Carve &carve : carves_[size]) give_back_rest(size, carve);
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
  void *memory = os::map(round_up(sizeof(NearHeap), kPageBytes));
  if (memory == nullptr) return nullptr;
  auto *made = new (memory) NearHeap(heap);
  heap->reclaim = [](void *attachment, bool all) {
    static_cast<NearHeap *>(attachment)->give_back(all);
  };
  heap->attachment = made;
  return made;
}

} // namespace abut::near
