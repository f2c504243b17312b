#include "placement/friends/near_heap.hpp"

#include "heap/events.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <new>

namespace abut::near {

using heap::Granules;
using heap::Page;

namespace {

constexpr uint32_t kGranulesInStretch = kPageBytes / Granules::kBytes;

constexpr size_t kLittle = 256 * KiB; // may be reserved however small the heap is
constexpr size_t kClose = 2 * kLineBytes;
constexpr size_t kPagesToLookAt = 1024;
constexpr size_t kPagesAtOnce = 8; // looked at where too much is reserved

// The cells of a run at each level: up to a page of the smallest, in steps so small that reservations can be kept close to
// the bound.
constexpr uint16_t kRunCells[] = {0,  2,  3,  4,  5,  6,  8,  10,  12,  16, 20,
                                  24, 32, 40, 48, 64, 80, 96, 128, 192, 256};

// The shortest run fills a line, or holds two cells.
unsigned first_level(unsigned size) { return size == 1 ? 3 : 1; }

constexpr unsigned cells_in_page(unsigned size) { return kGranulesInStretch / size; }

// For each size.
constexpr auto kLastLevels = [] {
  std::array<uint8_t, kSizes + 1> last{};
  for (unsigned size = 1; size <= kSizes; ++size) {
    const auto *longer = std::ranges::upper_bound(kRunCells, cells_in_page(size));
    last[size] = static_cast<uint8_t>(longer - kRunCells - 1);
  }
  return last;
}();

// Whether the next block will lie close by without any doing, as it may in a side heap.
bool is_at_front(const heap::LocalHeap &heap, Address friend_address) {
  return heap.is_side() && heap.births.front() - friend_address < kClose;
}

// The page of birth order around an address, and the heap of that thread that owns it, or did a moment ago: other threads may free
// its last block. Null if it is another thread's.
struct OwnPage {
  const Page *page = nullptr;
  heap::LocalHeap *owner = nullptr;
};
OwnPage own_birth_page(const heap::LocalHeap *keeper, Address address) {
  if (heap::segment_map.kind_at(address) != heap::SegmentKind::birth_pages) return {};
  const Page *page = heap::page_at(address);
  heap::LocalHeap *owner = page != nullptr ? heap::load_plainly(page->owner) : nullptr;
  return owner != nullptr && owner->keeper == keeper ? OwnPage{page, owner} : OwnPage{};
}

// Whether more of a stretch lives than has been freed. Numbers are so short that many are added at once.
bool is_in_use(const heap::Cell *cells) {
  uint16_t twice = 0;
  for (uint32_t at = 0; at < kGranulesInStretch; ++at) {
    const heap::Cell cell = heap::load_plainly(cells[at]);
    const auto weight = static_cast<uint8_t>(cell < heap::kReserved ? 2 * cell : cell % 64);
    twice = static_cast<uint16_t>(twice + weight);
  }
  return twice > kGranulesInStretch;
}

} // namespace

// Bytes that may be reserved.
size_t NearHeap::budget() const { return std::max(kLittle, heap_->held_bytes() / 10); }

bool NearHeap::may_reserve() {
  const size_t most = budget();
  if (set_aside() > most)
    give_back_stale(search_over_);
  else if (set_aside() > most / 2)
    give_back_stale(search_below_);
  return set_aside() <= most;
}

// What chains that were freed had reserved goes back before the budget is used up: a program that builds its lists again would
// get short runs, or none.
void NearHeap::give_back_stale(Search &search) {
  if (!search.is_due()) return;
  std::lock_guard guard(heap_->lock());
  for (size_t before = 0; set_aside() > budget() / 2 && set_aside() != before;) {
    before = set_aside();
    give_back_pages(kPagesAtOnce, false);
    if (set_aside() < before) search_over_.wait = search_below_.wait = 1;
  }
}

// One of 1024, the same for some time: chains that grow one after the other get runs of one length, which lie in a row;
// whoever walks one chain after the other then finds the next one's lines fetched ahead.
int64_t NearHeap::draw() {
  if (drawn_++ % kDrawnTogether == 0)
    random_ = random_ * 1664525 + 1013904223; // Numerical Recipes' quick generator
  return random_ >> 22;
}

// Longer while little is reserved, shorter when too much is, and by chance in between: otherwise chains that grow in turn
// would all need their next runs at once, and all get short ones.
unsigned NearHeap::level_after(unsigned level, unsigned size) {
  constexpr int64_t kAimed = 1024 * 97 / 100; // of the budget
  constexpr int64_t kEagerness = 4, kReluctance = 30;
  static_assert(std::size(kRunCells) == kLevels);
  const unsigned first = first_level(size);
  if (level == 0) return first;
  // Of all times the budget, so that nothing is divided.
  const auto whole = static_cast<int64_t>(budget());
  const int64_t below = kAimed * whole - static_cast<int64_t>(set_aside()) * 1024;
  const int64_t drawn = draw() * whole;
  if (drawn < below * kEagerness)
    ++level;
  else if (drawn < -below * kReluctance)
    --level;
  return std::clamp(level, first, unsigned{kLastLevels[size]});
}

NearHeap::Placed NearHeap::place(Address friend_address, unsigned size) {
  const auto [page, owner] = own_birth_page(heap_, friend_address);
  if (page == nullptr) return place_after_sized(friend_address, size);
  if (is_at_front(*owner, friend_address)) return {nullptr, Where::near_anyway};
  const Range block = heap::birth_range_at(*page, friend_address);
  if (!block) return {nullptr, Where::not_ours};
  if (void *cell = take_reserved(heap::granule_address(*page, block.end()), size))
    return {cell, Where::reserved};
  return place_elsewhere(owner, friend_address, size, block.count == size);
}

// No cell can be reserved beside a friend in a size page: its chain goes on in a run of its own.
NearHeap::Placed NearHeap::place_after_sized(Address friend_address, unsigned size) {
  const heap::Extent block = heap::extent_of(heap_, friend_address);
  if (block.begin == 0) return {nullptr, Where::not_ours};
  if (block.end - block.begin != size * Granules::kBytes) return {nullptr, Where::nowhere};
  if (heap_->sizes.front(size) - block.end < kClose) return {nullptr, Where::near_anyway};
  if (!may_reserve()) return {nullptr, Where::over_budget};
  return open_run(size, level_after(0, size));
}

// Where no cell is reserved. `same`: the friend has the size itself.
NearHeap::Placed NearHeap::place_elsewhere(heap::LocalHeap *owner, Address friend_address,
                                           unsigned size, bool same) {
  const Page *page = heap::page_at(friend_address);
  if (page != nullptr && heap::load_plainly(page->has_room)) {
    std::lock_guard guard(heap_->lock());
    if (void *hole = owner->births.take_beside(friend_address, size)) return {hole, Where::hole};
  }
  if (!same)
    return {nullptr, Where::nowhere}; // no run of this size could be found from there again
  if (!may_reserve()) return {nullptr, Where::over_budget};
  return open_run(size, level_after(heap::stretch_label(friend_address), size));
}

// The last of a page is as long as there is room: a rest would be found cell by cell.
NearHeap::Placed NearHeap::open_run(unsigned size, unsigned level) {
  Carve &carve = carves_[size][level];
  const size_t each = size * Granules::kBytes;
  const size_t shortest = kRunCells[first_level(size)] * each;
  if (carve.next + shortest > carve.end && !begin_page(size, level, carve)) return {};
  const Address run = carve.next;
  carve.next = std::min(run + kRunCells[level] * each, carve.end);
  set_aside() -= each;
  for (Address cell = run + each; cell < carve.next; cell += each)
    *heap::cell_at(cell) = static_cast<heap::Cell>(heap::kReserved + size);
  return {hand_out(run, size), Where::run};
}

bool NearHeap::begin_page(unsigned size, unsigned level, Carve &carve) {
  std::lock_guard guard(heap_->lock());
  give_back_rest(size, carve);
  if (page_count_ == page_room_ && !make_room()) return false;
  const Address page = heap_->births.cut_stretch(size, static_cast<uint8_t>(level));
  if (page == 0) return false;
  pages_[page_count_++] = page;
  carve = {page, page + cells_in_page(size) * size * Granules::kBytes};
  set_aside() += carve.end - carve.next;
  return true;
}

// What was too short for a run at the end of the last page is of use to others.
void NearHeap::give_back_rest(unsigned size, Carve &carve) {
  const size_t bytes = size * Granules::kBytes;
  for (; carve.next + bytes <= carve.end; carve.next += bytes) {
    set_aside() -= bytes;
    heap_->births.give_up_cell(carve.next);
  }
  carve = {};
}

// Makes room for one more page in the list. A page is in it twice if it was cut up again after all of it had been freed.
bool NearHeap::make_room() {
  std::sort(pages_, pages_ + page_count_);
  page_count_ = static_cast<size_t>(std::unique(pages_, pages_ + page_count_) - pages_);
  if (page_count_ < page_room_ / 2) return true;
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

// Whether the stretch still has cells that may stay reserved.
bool NearHeap::give_back_page(Address stretch, bool all) {
  const Page *page = heap::page_at(stretch);
  if (page == nullptr || page->owner != heap_ || page->size_class != 0) return false;
  const heap::Cell *cells = heap::cell_at(stretch);
  if (!all && is_in_use(cells)) return true;
  if (is_carved(stretch)) return true;
  std::array<Address, kGranulesInStretch> reserved; // the last of them may be the last of the page
  size_t count = 0;
  for (uint32_t at = 0; at < kGranulesInStretch; at += std::max(heap::granules_of(cells[at]), 1U))
    if (cells[at] >= heap::kReserved) reserved[count++] = stretch + at * Granules::kBytes;
  for (size_t i = 0; i < count; ++i) {
    set_aside() -= heap::granules_of(*heap::cell_at(reserved[i])) * Granules::kBytes;
    heap_->births.give_up_cell(reserved[i]);
  }
  return false;
}

void NearHeap::give_back(bool all) {
  for (unsigned size = 1; all && size <= kSizes; ++size)
    for (Carve &carve : carves_[size]) give_back_rest(size, carve);
  give_back_pages(all ? page_count_ : std::min(page_count_, kPagesToLookAt), all);
}

void NearHeap::give_back_pages(size_t pages, bool all) {
  for (; pages > 0 && page_count_ > 0; --pages) {
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
  above(*heap).near_heap = made;
  heap::events.reserved_too_long.set_listener([](heap::LocalHeap &one, bool all) {
    if (NearHeap *near_heap = above(one).near_heap) near_heap->give_back(all);
  });
  return made;
}

} // namespace abut::near
