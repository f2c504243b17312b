#include "heap/birth_heap.hpp"

#include "heap/events.hpp"
#include "heap/local_heap.hpp"
#include "heap/page_store.hpp"

#include <algorithm>
#include <emmintrin.h>
#include <iterator>
#include <utility>

namespace abut::heap {
namespace {

constexpr uint32_t kGranulesInStretch = kPageBytes / Granules::kBytes;

// How full a page with room may be: the holes in a fuller one are short against what is wanted.
constexpr uint32_t kMostLive = kGranulesInPage / 2;

// What the window of a heap's first page grows by: it is twice as much for each page that was filled.
constexpr uint32_t kFirstStep = kGranulesInPage / 8;

// So many pages with room are looked at for a hole.
constexpr unsigned kMostTries = 8;

#if !defined(__SANITIZE_THREAD__) // that knows of no order between a byte's store and a word's load
// In which of 16 granules something begins, a bit each. What lies behind a page's cells may be read.
uint32_t cells_among_16(const Cell *cells) {
  const __m128i found = _mm_loadu_si128(reinterpret_cast<const __m128i *>(cells));
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(found, _mm_setzero_si128()))) ^
         0xffff;
}
// Aligned loads are operands, which are one instruction each.
constexpr uint32_t kManyCells = 128;
bool are_many_free(const Cell *cells) {
  const auto *words = reinterpret_cast<const __m128i *>(cells);
  __m128i any = _mm_load_si128(words);
#pragma GCC unroll 16
  for (uint32_t i = 1; i < kManyCells / sizeof(*words); ++i)
    any = _mm_or_si128(any, _mm_load_si128(words + i));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) == 0xffff;
}

// The first granule from `at` on where something begins; `end` if there is none.
uint32_t next_cell(const Cell *cells, uint32_t at, uint32_t end) {
  while (at < end) {
    if (const uint32_t found = cells_among_16(cells + at); found != 0)
      return std::min(at + static_cast<uint32_t>(std::countr_zero(found)), end);
    at = at / 16 * 16 + 16;                                         // a page's cells are aligned
    while (at < end && are_many_free(cells + at)) at += kManyCells; // as in an empty page
  }
  return end;
}
#else
uint32_t next_cell(const Cell *cells, uint32_t at, uint32_t end) {
  while (at < end && load_plainly(cells[at]) == 0) ++at;
  return at;
}
#endif

// The next hole of `granules` at least, from `at` on, where a block or a hole begins; an empty one if there is none before
// `end`, at the beginning of what is free there.
Range find_hole(const Cell *cells, uint32_t at, uint32_t end, uint32_t granules) {
  while (at < end) {
    if (const Cell cell = load_plainly(cells[at]); cell != 0) {
      at += granules_of(cell);
      continue;
    }
    const uint32_t next = next_cell(cells, at, end);
    if (next - at >= granules) return {at, next - at};
    if (next == end) return {at, 0};
    at = next;
  }
  return {at, 0};
}

// With reserved cells, which others may not have. The sum is so short that many are added at once.
uint32_t live_granules(const Page &page) {
  uint16_t sum = 0;
  for (const Cell *cell = cells_of(page), *end = cell + kGranulesInPage; cell < end; ++cell)
    sum = static_cast<uint16_t>(sum + granules_of(load_plainly(*cell)));
  return sum;
}

} // namespace

// Granules of the page that are live, more or less: what others free at once may be counted as less.
uint32_t BirthHeap::live_now() const {
  const int32_t freed = kNever - load_plainly(page_->frees_left);
  const auto left = static_cast<int32_t>((end_ - next_) / Granules::kBytes);
  return static_cast<uint32_t>(std::max(live_ - left - freed, 0));
}

void BirthHeap::begin_pass() {
  at_ = 0;
  store_released(page_->frees_left, kNever);
}

void BirthHeap::set_hole(Address begin, Address end) {
  next_ = begin;
  next_cell_ = cell_at(begin);
  end_ = end;
  limit_ = owner_->is_in_birth_order() ? end + 1 : 0;
}

bool BirthHeap::sweep(uint32_t granules) {
  const bool is_fresh = at_ >= page_->touched && window_ - at_ >= granules;
  const Range hole =
      is_fresh ? Range{at_, window_ - at_} : find_hole(cells_of(*page_), at_, window_, granules);
  at_ = hole.end();
  if (!hole) return false;
  sweeps_ += hole.first < page_->touched;
  live_ += static_cast<int32_t>(hole.count - (end_ - next_) / Granules::kBytes);
  page_->touched = std::max(page_->touched, at_);
  set_hole(granule_address(*page_, hole.first), granule_address(*page_, hole.end()));
  return true;
}

// At the window's end: begins again where a quarter of it was freed meanwhile, or makes it longer; false at the page's end.
// What is left of the last hole, and what follows it, are one hole.
bool BirthHeap::turn() {
  const auto freed = static_cast<uint32_t>(kNever - load_plainly(page_->frees_left));
  if (freed * 4 >= window_) {
    live_ -= static_cast<int32_t>(freed);
    begin_pass();
    return true;
  }
  if (window_ == kGranulesInPage) return false;
  if (end_ != next_ && end_ == granule_address(*page_, at_)) {
    live_ -= static_cast<int32_t>((end_ - next_) / Granules::kBytes);
    at_ = granule_at(next_);
    set_hole(0, 0);
  }
  window_ = std::min(window_ + step_, kGranulesInPage);
  return true;
}

bool BirthHeap::advance(uint32_t granules) {
  if (page_ == nullptr) return false;
  do {
    if (sweep(granules)) return true;
  } while (turn());
  return false;
}

bool BirthHeap::resize(const BirthBlock &block, Address address, uint32_t granules) {
  if (block.page == cut_page_) return false; // what is free behind a cell will be cut
  const Address end = address + granules * Granules::kBytes;
  const uint32_t after = granule_at(address) + block.granules;
  if (granules > block.granules) {
    const Address old_end = address + block.bytes();
    if (old_end == next_) {
      if (end > end_) return false;
      next_ = end;
      next_cell_ = cell_at(end);
    } else {
      const uint32_t last = granule_at(address) + granules;
      if (last > kGranulesInPage || next_cell(cells_of(*block.page), after, last) < last)
        return false;
      if (block.page == page_ && next_ < end && old_end < end_) return false; // the cursor's
    }
    // Who frees another block of the page may read it.
    store_released(block.page->touched,
                   std::max(block.page->touched, granule_at(address) + granules));
  }
  // Where a page that had less to be freed has more, its counts are too low, and it is only looked at too early.
  store_released(*block.cell, static_cast<Cell>(granules));
  return true;
}

Page *BirthHeap::add_page() {
  Page *page = birth_pages.take(owner_).page;
  if (page == nullptr) return nullptr;
  PageSegment *segment = PageSegment::of(*page);
  page->begin = segment->address_of(segment->index_of(*page));
  page->size_class = 0;
  auto &labels = segment->labels[segment->index_of(*page)];
  std::fill(std::begin(labels), std::end(labels), uint8_t{0});
  store_released(page->states, cell_at(page->begin)); // an empty page's cells are zero
  bytes_.store(bytes_.load(std::memory_order_relaxed) + kBlockPageBytes, std::memory_order_relaxed);
  events.grown.report(owner_->held_bytes());
  return page;
}

void BirthHeap::enter(Page *page) {
  live_ = page->has_room ? load_plainly(page->frees_left) + 1 : 0;
  if (page->has_room) with_room_.remove(page);
  store_released(page->has_room, false);
  page->is_current = true;
  page_ = page;
  begin_pass();
  step_ = std::clamp(2 * step_, kFirstStep, kGranulesInPage);
  window_ = std::min(std::max(page->touched, step_), kGranulesInPage);
  set_hole(0, 0);
}

// The first of some pages with room that has a hole of that length.
Page *BirthHeap::page_with_room(uint32_t granules) {
  unsigned tries = kMostTries;
  for (Page *page = with_room_.front(); page != nullptr && tries > 0;
       page = ByRoom::after(page), --tries)
    if (find_hole(cells_of(*page), 0, kGranulesInPage, granules)) return page;
  return nullptr;
}

bool BirthHeap::refill(uint32_t granules) {
  if (advance(granules)) return true;
  if (page_ != nullptr) leave();
  Page *page = page_with_room(granules);
  if (page == nullptr) page = add_page();
  if (page == nullptr) return false;
  enter(page);
  return advance(granules) || refill(granules);
}

void BirthHeap::retire(Page *page) {
  page->is_current = false;
  file(page, live_granules(*page));
}

// How often it is looked for in the cells is what birth order costs; so where a count tells, it is believed.
void BirthHeap::file_counted(Page *page, uint32_t live) {
  const uint32_t touched = load_plainly(page->touched);
  const bool is_doubtful = live == 0 && next_cell(cells_of(*page), 0, touched) < touched;
  file(page, is_doubtful ? live_granules(*page) : live);
}

void BirthHeap::leave() {
  const uint32_t live = live_now();
  set_hole(0, 0);
  page_->is_current = false;
  file_counted(std::exchange(page_, nullptr), live);
}

void BirthHeap::file(Page *page, uint32_t live) {
  if (live == 0) return give_back_page(page);
  store_released(page->has_room, live <= kMostLive);
  page->live_then = static_cast<int32_t>(page->has_room ? 0 : kMostLive);
  (page->has_room ? with_room_ : full_).push_back(page);
  std::atomic_ref(page->frees_left)
      .store(static_cast<int32_t>(live) - page->live_then - 1, std::memory_order_relaxed);
}

void BirthHeap::give_back_page(Page *page) {
  bytes_.store(bytes_.load(std::memory_order_relaxed) - kBlockPageBytes, std::memory_order_relaxed);
  birth_pages.give_back(page, 1, load_plainly(page->touched) * Granules::kBytes);
}

void BirthHeap::free_last(const BirthBlock &block) {
  Page *page = block.page;
  store_released<Cell>(*block.cell, 0);
  if (page->is_current) return;
  (page->has_room ? with_room_ : full_).remove(page);
  const int32_t live = page->live_then + load_plainly(page->frees_left) + 1;
  file_counted(page, static_cast<uint32_t>(std::max(live, 0)));
}

void BirthHeap::look_again(ByRoom &pages, uint64_t &left) {
  Page *const last = pages.back();
  for (Page *page = pages.front(); page != nullptr && left > 0; --left) {
    Page *next = page == last ? nullptr : ByRoom::after(page);
    pages.remove(page);
    file(page, live_granules(*page));
    page = next;
  }
}

void BirthHeap::recount(uint64_t most) {
  look_again(full_, most);
  look_again(with_room_, most);
}

// ---- for layers above ----

// Stretches come from a page of their own, one after the other.
Address BirthHeap::cut_stretch(uint32_t granules, uint8_t label) {
  if (cut_page_ != nullptr && cut_page_->touched == kGranulesInPage)
    retire(std::exchange(cut_page_, nullptr));
  if (cut_page_ == nullptr) {
    cut_page_ = add_page();
    if (cut_page_ == nullptr) return 0;
    cut_page_->is_current = true;
    cut_page_->frees_left = kNever;
    cut_page_->touched = 0;
  }
  const uint32_t first = cut_page_->touched;
  cut_page_->touched += kGranulesInStretch;
  Cell *cells = cells_of(*cut_page_);
  for (uint32_t at = first; at + granules <= first + kGranulesInStretch; at += granules)
    cells[at] = static_cast<Cell>(kSetAside + granules);
  const Address stretch = granule_address(*cut_page_, first);
  stretch_label(stretch) = label;
  return stretch;
}

void *BirthHeap::take_beside(Address beside, uint32_t granules) {
  Page *page = page_at(beside);
  // What was freed there meanwhile may have made it another heap's.
  if (page == nullptr || page->owner != owner_ || page->size_class != 0 || !page->has_room)
    return nullptr;
  const uint32_t begin = granule_at(round_down(beside, kPageBytes));
  const uint32_t line = granule_at(round_down(beside, kLineBytes));
  const uint32_t end = begin + kGranulesInStretch;
  const Cell *cells = cells_of(*page);
  // A block may reach into the stretch from the one before.
  const Range before = birth_range_at(*page, granule_address(*page, begin));
  Range hole = find_hole(cells, before ? before.end() : begin, end, granules);
  if (!hole) return nullptr;
  while (hole.end() < line + granules) {
    const Range next = find_hole(cells, hole.end(), end, granules);
    if (!next) break;
    hole = next;
  }
  if (hole.first < line && hole.end() >= line + granules) hole.first = line;
  page->frees_left += static_cast<int32_t>(granules);
  page->touched = std::max(page->touched, hole.first + granules);
  const Address block = granule_address(*page, hole.first);
  store_released(*cell_at(block), static_cast<Cell>(granules));
  return reinterpret_cast<void *>(block);
}

void BirthHeap::give_up_cell(Address cell) {
  Cell *place = cell_at(cell);
  const BirthBlock block{page_at(cell), place, granules_of(*place)};
  if (!free_block(block)) free_last(block);
}

void BirthHeap::close() {
  if (page_ != nullptr) leave();
  if (cut_page_ != nullptr) retire(std::exchange(cut_page_, nullptr));
}

} // namespace abut::heap
